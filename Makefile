PG_CONFIG ?= pg_config
EXTENSION = wattgpu
EXTVERSION = $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" wattgpu.control)
MODULE_big = wattgpu
PURE_OBJS = src/names.o src/physics.o src/step.o src/draw.o src/range.o src/features.o src/ubjson.o src/forest.o src/leaves.o src/stats.o src/nnls.o
OBJS = $(PURE_OBJS) src/wattgpu.o src/catalogue.o src/columns.o src/closest.o src/spec.o src/resolve.o src/resolution.o src/python_json.o src/booster.o src/model.o src/registry.o src/physical.o src/prediction.o src/answers.o src/predict.o src/baseline.o \
	src/answer.o src/rows.o src/explain.o src/measurement.o src/params.o src/recipe.o src/fit.o src/train.o src/evaluate.o src/calibrate.o src/verify.o

DATA_built = wattgpu--$(EXTVERSION).sql
EXTRA_CLEAN = test/unit/bin

REGRESS = install catalogue names predict fits workload rows what_if power_limit ranking resolve_names configs fleet_inputs catalog_check models importers evaluate explain fleet_rows fleet_energy fleet_random forms saved_reports bad_input comments
REGRESS_OPTS = --inputdir=test --encoding=UTF8
TAP_TESTS = 1
PROVE_TESTS = test/t/*.pl

# The server's own headers do not hold under -Wextra, so they count as system headers.
PG_CPPFLAGS = -isystem $(shell $(PG_CONFIG) --includedir-server) -DWATTGPU_VERSION='"$(EXTVERSION)"'
# Nobody replaces the functions of this library one by one, so calls within a file may be direct. Some servers are built with frame
# pointers, which cost a prediction 3 %.
PG_CFLAGS = -std=gnu99 -Wall -Wextra -Werror -fno-semantic-interposition -fomit-frame-pointer
SHLIB_LINK = -lm -ldl -Wl,--version-script=src/exports.map

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

CATALOGUE = scenarios gpus llms gpu_aliases llm_aliases cloud_instances measurements
SHIPPED_MODELS = $(sort $(wildcard data/models/*.json))

ifeq ($(SHIPPED_MODELS),)
$(warning there are no shipped models in data/models: nothing will predict until one is trained)
endif

# Data goes in before the triggers that mark rows as a user's own.
wattgpu--$(EXTVERSION).sql: wattgpu.control Makefile data/csv2sql.pl data/Csv.pm $(CATALOGUE:%=data/%.csv) $(SHIPPED_MODELS) $(wildcard sql/*.sql)
	( cat sql/tables.sql sql/functions.sql sql/resolve.sql sql/rank.sql sql/llm_weights.sql sql/llm_config.sql sql/inventory.sql sql/upkeep.sql sql/import.sql \
		sql/deployments.sql sql/energy.sql sql/reports.sql sql/templates.sql && \
	  for t in $(CATALOGUE); do $(PERL) data/csv2sql.pl wattgpu_$$t data/$$t.csv || exit 1; done && \
	  for m in $(SHIPPED_MODELS); do echo 'SELECT @extschema@.wattgpu_import_model($$model$$' && cat $$m && echo '$$model$$);' || exit 1; done && \
	  cat sql/shipped_models.sql sql/triggers.sql ) > $@.tmp && mv $@.tmp $@

$(OBJS) $(OBJS:.o=.bc): $(wildcard src/*.h) wattgpu.control

UNIT_TESTS = $(patsubst test/unit/%.c,test/unit/bin/%,$(wildcard test/unit/test_*.c))

test/unit/bin/%: test/unit/%.c $(wildcard test/unit/*.h src/*.h) $(PURE_OBJS:.o=.c)
	@mkdir -p $(@D)
	$(CC) -std=gnu99 -g -O1 -Wall -Wextra -Werror $(UNIT_CFLAGS) -iquote src $< $(PURE_OBJS:.o=.c) -lm -o $@

.PHONY: unit lint
unit: $(UNIT_TESTS)
	@for t in $^; do echo "# $$t"; $$t || exit 1; done

# What the server's macros do on an error is told to cppcheck, which cannot see that they do not return.
lint:
	cppcheck -q --error-exitcode=1 --enable=warning,performance,portability --inline-suppr --suppress=missingIncludeSystem \
		-DWATTGPU_VERSION='""' -D'PG_FUNCTION_INFO_V1(x)=' -D'PG_MODULE_MAGIC=' -D'ereport(level,...)=abort()' -D'elog(level,...)=abort()' src
	clang-tidy --quiet src/*.c -- -std=gnu99 -DWATTGPU_VERSION='""' -isystem $(shell $(PG_CONFIG) --includedir-server)
