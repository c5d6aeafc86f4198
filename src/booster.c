/*
 * Boosters through libxgboost's C API, which no other file includes.
 *
 * The library is opened on first use, since loading it costs more than the
 * first prediction of a session may, and predictions do not need it. What it
 * allocates lies outside the server's memory contexts, so each handle belongs
 * to the context that was current when it was made and is freed with it: at
 * the end of a query, on an error, on cancel.
 */
#include "booster.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <xgboost/c_api.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "wattgpu.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): X takes names, not expressions */
#define XGBOOST_FUNCTIONS(X) \
	X(XGBGetLastError) \
	X(XGBSetGlobalConfig) \
	X(XGBoostVersion) \
	X(XGBoosterCreate) \
	X(XGBoosterFree) \
	X(XGBoosterLoadModelFromBuffer) \
	X(XGBoosterPredictFromDMatrix) \
	X(XGBoosterSaveModelToBuffer) \
	X(XGBoosterSetParam) \
	X(XGBoosterUpdateOneIter) \
	X(XGDMatrixCreateFromMat_omp) \
	X(XGDMatrixFree) \
	X(XGDMatrixSetFloatInfo)

static struct
{
	bool		loaded;
#define X(name) __typeof__(&name) name;
	XGBOOST_FUNCTIONS(X)
#undef X
} xgb;

/* NOLINTEND(bugprone-macro-parentheses) */

struct Booster
{
	BoosterHandle handle;
	MemoryContextCallback on_reset;
};

typedef struct Data
{
	DMatrixHandle handle;
	MemoryContextCallback on_reset;
} Data;

/* NOLINTBEGIN(bugprone-macro-parentheses) */
static void
load_library(void)
{
	static const char *const names[] = {"libxgboost.so.0", "libxgboost.so"};
	void	   *library = NULL;

	if (xgb.loaded)
		return;
	for (size_t i = 0; i < lengthof(names) && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FILE),
				 errmsg("could not load libxgboost: %s", dlerror()),
				 errhint("Install libxgboost 1.7 or later on the server; only training, import, export and explanations need it.")));
#define X(name) \
	if ((xgb.name = (__typeof__(&name)) dlsym(library, #name)) == NULL) \
		ereport(ERROR, \
				(errcode(ERRCODE_UNDEFINED_FUNCTION), \
				 errmsg("libxgboost has no function %s", #name), \
				 errhint("Install libxgboost 1.7 or later on the server.")));
	XGBOOST_FUNCTIONS(X)
#undef X
	xgb.XGBSetGlobalConfig("{\"verbosity\": 0}");
	xgb.loaded = true;
}
/* NOLINTEND(bugprone-macro-parentheses) */

/* The first line of what libxgboost says; a stack trace of its own follows. */
static void
check(int status, const char *what)
{
	const char *message;

	if (status == 0)
		return;
	message = xgb.XGBGetLastError();
	ereport(ERROR,
			(errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
			 errmsg("libxgboost could not %s: %.*s", what, (int) strcspn(message, "\n"), message)));
}

/* Threads that the library starts inherit the mask: signals are for the backend's own thread. */
#define CALL(call, what) \
	do { \
		sigset_t	all_; \
		sigset_t	old_; \
		int			status_; \
		sigfillset(&all_); \
		pthread_sigmask(SIG_SETMASK, &all_, &old_); \
		status_ = (call); \
		pthread_sigmask(SIG_SETMASK, &old_, NULL); \
		check(status_, what); \
	} while (0)

static void
free_booster(void *arg)
{
	Booster    *b = arg;

	if (b->handle)
		xgb.XGBoosterFree(b->handle);
	b->handle = NULL;
}

static void
free_data(void *arg)
{
	Data	   *d = arg;

	if (d->handle)
		xgb.XGDMatrixFree(d->handle);
	d->handle = NULL;
}

static Booster *
new_booster(DMatrixHandle *cached, int num_cached)
{
	Booster    *b = palloc0(sizeof *b);

	b->on_reset.func = free_booster;
	b->on_reset.arg = b;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &b->on_reset);
	check(xgb.XGBoosterCreate(cached, num_cached, &b->handle), "create a booster");
	check(xgb.XGBoosterSetParam(b->handle, "nthread", psprintf("%d", wattgpu_threads)), "set nthread");
	return b;
}

static Data *
new_data(Matrix x)
{
	Data	   *d = palloc0(sizeof *d);

	d->on_reset.func = free_data;
	d->on_reset.arg = d;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &d->on_reset);
	CALL(xgb.XGDMatrixCreateFromMat_omp(x.values, x.rows, x.columns, NAN, &d->handle, wattgpu_threads), "read a matrix");
	return d;
}

const char *
booster_library_version(void)
{
	int			major,
				minor,
				patch;

	load_library();
	xgb.XGBoostVersion(&major, &minor, &patch);
	return psprintf("%d.%d.%d", major, minor, patch);
}

/* Interrupts are taken between rounds, so a cancel waits for one round at most. */
Booster *
booster_train(Matrix x, const float *label, const float *weight,
			  const BoosterParam *params, int num_params, int rounds)
{
	Booster    *b;
	Data	   *d;

	load_library();
	d = new_data(x);
	check(xgb.XGDMatrixSetFloatInfo(d->handle, "label", label, x.rows), "set the labels");
	check(xgb.XGDMatrixSetFloatInfo(d->handle, "weight", weight, x.rows), "set the weights");
	b = new_booster(&d->handle, 1);
	for (int i = 0; i < num_params; i++)
		check(xgb.XGBoosterSetParam(b->handle, params[i].name, params[i].value), "set a parameter");
	for (int i = 0; i < rounds; i++)
	{
		CHECK_FOR_INTERRUPTS();
		CALL(xgb.XGBoosterUpdateOneIter(b->handle, i, d->handle), "train");
		if ((i + 1) % 50 == 0)
			ereport(DEBUG1, (errmsg_internal("round %d of %d", i + 1, rounds)));
	}
	free_data(d);
	return b;
}

Booster *
booster_load(const void *data, size_t size)
{
	Booster    *b;

	load_library();
	b = new_booster(NULL, 0);
	CALL(xgb.XGBoosterLoadModelFromBuffer(b->handle, data, size), "load a booster");
	return b;
}

/* The booster in UBJSON, the form that the registry holds and forest_read reads. */
bytea *
booster_save(Booster *b)
{
	bst_ulong	size;
	const char *data;
	bytea	   *copy;

	check(xgb.XGBoosterSaveModelToBuffer(b->handle, "{\"format\": \"ubj\"}", &size, &data), "save a booster");
	copy = palloc(size + VARHDRSZ);
	SET_VARSIZE(copy, size + VARHDRSZ);
	memcpy(VARDATA(copy), data, size);
	return copy;
}

static float *
predict(Booster *b, Matrix x, const char *config)
{
	Data	   *d = new_data(x);
	const bst_ulong *shape;
	bst_ulong	dimensions;
	const float *result;
	size_t		n = 1;
	float	   *copy;

	CALL(xgb.XGBoosterPredictFromDMatrix(b->handle, d->handle, config, &shape, &dimensions, &result), "predict");
	for (bst_ulong i = 0; i < dimensions; i++)
		n *= shape[i];
	copy = palloc(n * sizeof *copy);
	memcpy(copy, result, n * sizeof *copy);
	free_data(d);
	return copy;
}

float *
booster_margins(Booster *b, Matrix x)
{
	return predict(b, x, "{\"type\": 1, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": 0, \"strict_shape\": false}");
}

/* SHAP values: for each row one a column, and last what the booster expects before it sees any. */
float *
booster_contributions(Booster *b, Matrix x)
{
	return predict(b, x, "{\"type\": 2, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": 0, \"strict_shape\": false}");
}

void
booster_free(Booster *b)
{
	free_booster(b);
}
