/*
 * What a card draws, against the written formulas: the calculation is beside
 * each assertion.
 */
#include "draw.h"
#include "tap.h"

#define COUNT(a) ((int) (sizeof(a) / sizeof((a)[0])))
#define TOLERANCE 1e-9

/* multiprocessors, memory, board; memory at full rate, multiprocessors, memory as far as it is used */
static const double weights[DRAW_TERMS] = {0.8, 0.5, 0.9, 0.4, 0.6, 0.3};

/* Of a card whose terms exceed what its power limit leaves. */
static const double heavy[DRAW_TERMS] = {8, 5, 9, 4, 6, 3};

static void
terms_of(double *terms, const char *memory_type, double process_nm, double sm_ghz, double bandwidth, double num_gpus, double use)
{
	/* A step counts all cards together, a GPU is one. */
	GpuSpec		g = {.memory_type = memory_type, .process_nm = process_nm, .memory_gb = 24, .tdp_w = 165};
	Step		s = {.sm_ghz = sm_ghz * num_gpus, .bandwidth_gb_s = bandwidth * num_gpus};

	draw_terms(&g, &s, num_gpus, use, terms);
}

static void
compare(const char *what, const double *found, const double *expected)
{
	static const char *const names[DRAW_TERMS] = {"multiprocessors", "memory", "board", "traffic", "busy multiprocessors", "used traffic"};

	for (int i = 0; i < DRAW_TERMS; i++)
		ok(close_to(found[i], expected[i], TOLERANCE), "%s: %s (%.12g)", what, names[i], found[i]);
}

static void
terms(void)
{
	static const struct
	{
		const char *type;
		double		energy;
	}			memories[] = {
		{"HBM3", 0.6}, {"HBM3e", 0.6}, {"HBM2e", 0.94}, {"HBM2", 0.9},
		{"GDDR5", 1.15}, {"GDDR5X", 1.15}, {"GDDR6", 1.15}, {"GDDR6X", 1.15}, {"GDDR7", 1.15},
		{"HBM3E", 0.6}, {"LPDDR5", 1.15}, {"LPDDR5X", 1.15}, {"HBM4", 0.6}, {NULL, NAN},
	};
	double		t[DRAW_TERMS];
	double		once[DRAW_TERMS];

	terms_of(t, "HBM2e", 7, 80.64, 933.1, 1, 0.7);
	compare("A30", t, (double[]) {
		24.192,					/* .3 x 80.64 */
		4.8,					/* .2 x 24 */
		16.5,					/* .1 x 165 */
		87.7114,				/* .1 x 933.1 x .94 */
		24.192,					/* at 7 nm as idle */
		61.39798,				/* .7 x 87.7114 */
	});
	/* Older processes cost more, busy more than idle: 19.08 x (12/7)^.75 and 19.08 x 12/7. */
	terms_of(t, "GDDR6", 12, 63.6, 320, 1, 1.2);
	compare("12 nm", t, (double[]) {28.5851697055, 4.8, 16.5, 36.8, 32.7085714286, 44.16});
	/* Newer ones than 7 nm save when busy, but not when idle. */
	terms_of(t, "HBM3e", 5, 261.36, 4800, 1, 1);
	compare("5 nm", t, (double[]) {78.408, 4.8, 16.5, 288, 56.0057142857, 288});
	terms_of(t, "HBM2e", 7, 80.64, 933.1, 2, 0.7);
	compare("two cards", t, (double[]) {48.384, 9.6, 33, 175.4228, 48.384, 122.79596});

	terms_of(once, "HBM2e", 7, 80.64, 933.1, 1, 0.7);
	terms_of(t, "HBM2e", NAN, 80.64, 933.1, 1, 0.7);
	ok(t[0] == once[0] && t[4] == once[4], "an unknown process counts as 7 nm");
	for (int i = 0; i < COUNT(memories); i++)
	{
		terms_of(t, memories[i].type, 7, 80.64, 1000, 1, 0.5);
		ok(close_to(t[3], 100 * memories[i].energy, TOLERANCE) && close_to(t[5], 50 * memories[i].energy, TOLERANCE),
		   "a byte of %s costs %g", memories[i].type ? memories[i].type : "unknown memory", memories[i].energy);
	}

	terms_of(t, "HBM2e", 7, NAN, 933.1, 1, 0.7);
	ok(isnan(t[0]) && isnan(t[4]) && !isnan(t[1]) && !isnan(t[2]) && !isnan(t[3]) && !isnan(t[5]), "unknown multiprocessors leave their terms unknown");
	terms_of(t, "HBM2e", 7, 80.64, NAN, 1, 0.7);
	ok(isnan(t[3]) && isnan(t[5]) && !isnan(t[0]) && !isnan(t[1]) && !isnan(t[2]) && !isnan(t[4]), "an unknown bandwidth the traffic's");
	ok(isnan(draw_w(t, weights, 165, NAN, 1)), "and what it draws: not the power limit");
	ok(draw_idle_w(t, weights, 165, NAN) == draw_idle_w(once, weights, 165, NAN), "but idle is known");
	terms_of(t, "HBM2e", 7, NAN, 933.1, 1, 0.7);
	ok(isnan(draw_idle_w(t, weights, 165, NAN)) && isnan(draw_w(t, weights, 165, NAN, 1)), "without multiprocessors nothing is known, not even .7 of the limit");
	ok(draw_idle_w(t, weights, 165, 30) == 30, "unless idle is measured");
}

static void
watts(void)
{
	double		t[DRAW_TERMS];
	double		last = 0;
	bool		rises = true;

	ok(close_to(draw_cap_w(165), 161.7, TOLERANCE), "decoding stops at .98 x 165 W");
	terms_of(t, "HBM2e", 7, 80.64, 933.1, 1, 0.7);
	/* .8 x 24.192 + .5 x 4.8 + .9 x 16.5 */
	ok(close_to(draw_idle_w(t, weights, 165, NAN), 36.6036, TOLERANCE), "idle");
	/* .4 x 87.7114 + .6 x 24.192 + .3 x 61.39798 = 68.019154 on top, half of the time */
	ok(close_to(draw_w(t, weights, 165, NAN, 0.5), 70.613177, TOLERANCE), "busy half of the time");
	ok(close_to(draw_w(t, weights, 165, NAN, 1), 104.622754, TOLERANCE), "busy all of it");
	ok(draw_w(t, weights, 165, NAN, 0) == draw_idle_w(t, weights, 165, NAN), "never busy is idle");

	/* Ten times the weights: 366 W idle are held at .7 x 165, 680 W of decoding at 161.7 - 115.5. */
	ok(close_to(draw_idle_w(t, heavy, 165, NAN), 115.5, TOLERANCE), "idle is at most .7 of the power limit");
	ok(close_to(draw_w(t, heavy, 165, NAN, 1), 161.7, TOLERANCE), "decoding at most .98 of it");
	ok(close_to(draw_w(t, heavy, 165, NAN, 0.25), 127.05, TOLERANCE), "and the share of the time is of what is left: 115.5 + 46.2 / 4");
	/* Only the limit on decoding binds: 36.6036 of 80 W is below 56. */
	ok(close_to(draw_idle_w(t, weights, 80, NAN), 36.6036, TOLERANCE) && close_to(draw_w(t, weights, 80, NAN, 1), 78.4, TOLERANCE), "the limits bind one by one");

	/* 30 + 68.019154 */
	ok(draw_idle_w(t, weights, 165, 30) == 30, "a measured idle power replaces the terms'");
	ok(close_to(draw_w(t, weights, 165, 30, 1), 98.019154, TOLERANCE), "and decoding comes on top of it");
	ok(close_to(draw_w(t, heavy, 165, 30, 0.5), 95.85, TOLERANCE), "what the limit leaves is counted from it: 30 + (161.7 - 30) / 2");
	ok(draw_idle_w(t, weights, 165, 130) == 130, "it is taken as measured, above .7 of the limit too");
	/* 161.7 - 160 leaves less than .05 x 165 */
	ok(close_to(draw_w(t, weights, 165, 160, 1), 168.25, TOLERANCE), "decoding takes at least .05 of the limit, however much idle does");

	ok(isnan(draw_idle_w(t, weights, NAN, NAN)) && isnan(draw_w(t, weights, NAN, 30, 1)), "without a power limit it is not known what holds it");

	for (int limit = 0; limit < 3; limit++)
		for (int idle = 0; idle < 3; idle++)
		{
			const double tdp[] = {40, 80, 165};
			const double measured[] = {NAN, 10, 39};

			last = draw_w(t, weights, tdp[limit], measured[idle], 0);
			for (int i = 1; i <= 100; i++)
			{
				double		now = draw_w(t, weights, tdp[limit], measured[idle], i / 100.0);

				rises &= now > last;
				last = now;
			}
		}
	ok(rises, "the busier, the more it draws");
}

int
main(void)
{
	terms();
	watts();
	return done_testing();
}
