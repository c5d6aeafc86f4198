/*
 * Against scipy.optimize.nnls (Lawson and Hanson's own code) on the same
 * numbers, and against what a solution must satisfy.
 */
#include <stdlib.h>

#include "nnls.h"
#include "tap.h"

static const double a[] = {
	1, 2, 0.5,
	2, 1, 1,
	0, 3, 2,
	4, 1, 0,
	1, 1, 1,
	3, 0, 2,
};

static int
near(const double *x, double x0, double x1, double x2)
{
	return fabs(x[0] - x0) < 1e-8 && fabs(x[1] - x1) < 1e-8 && fabs(x[2] - x2) < 1e-8;
}

int
main(void)
{
	const double b[] = {3, 4, 2, 9, 3, 5};
	const double negative[] = {-1, -2, -3, 1, 0, -4};
	const double y[] = {3, 4, 2, 9, 3, 50};
	const double weight[] = {1, 1, 1, 0.5, 1, 1};
	const double twice[] = {1, 1, 2, 2, 3, 3};
	const double line[] = {2, 4, 6};
	double		x[NNLS_MAX_TERMS];
	double		wide[40 * 8];
	double		target[40];
	int			optimal = 0;

	ok(nnls(a, b, 6, 3, x) && near(x, 1.8987951807, 0.6819277108, 0), "a term that would be negative is zero (scipy)");
	ok(nnls(a, negative, 6, 3, x) && near(x, 0, 0, 0), "all may be zero (scipy)");
	ok(relative_nnls(a, y, weight, 6, 3, 10, 0.1, 0, x) && near(x, 1.9724984919, 0.4096041023, 0.3905758849),
	   "the relative fit leaves an outlier aside (scipy in a loop)");
	ok(relative_nnls(a, y, weight, 6, 3, 10, 0.1, 0.03, x) && near(x, 1.9420183777, 0.4274979459, 0.3667598379),
	   "with a ridge (scipy in a loop)");
	ok(nnls(twice, line, 3, 2, x) && close_to(x[0] + x[1], 2, 1e-9), "terms that say the same share what one would have");

	/* Karush-Kuhn-Tucker: where x > 0 the slope is zero, elsewhere it does not point down. */
	srand(7);
	for (int trial = 0; trial < 500; trial++)
	{
		int			kkt = 1;

		for (int i = 0; i < 40 * 8; i++)
			wide[i] = rand() / (double) RAND_MAX;
		for (int i = 0; i < 40; i++)
			target[i] = rand() / (double) RAND_MAX - 0.2;
		kkt &= nnls(wide, target, 40, 8, x);
		for (int j = 0; j < 8; j++)
		{
			double		slope = 0;

			for (int r = 0; r < 40; r++)
			{
				double		residual = target[r];

				for (int k = 0; k < 8; k++)
					residual -= wide[r * 8 + k] * x[k];
				slope += wide[r * 8 + j] * residual;
			}
			kkt &= x[j] >= 0 && (x[j] > 0 ? fabs(slope) < 1e-7 : slope < 1e-7);
		}
		optimal += kkt;
	}
	ok(optimal == 500, "500 random problems are solved to the optimum (%d)", optimal);
	return done_testing();
}
