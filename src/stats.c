/*
 * The figures by which predictions are judged. NAN means there is none.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "stats.h"

static int
compare(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* Linear between the two nearest ranks; sorts values. */
double
quantile(double *values, int n, double q)
{
	double		rank = q * (n - 1);
	int			below = (int) floor(rank);

	if (n == 0)
		return NAN;
	qsort(values, (size_t) n, sizeof *values, compare);
	if (below + 1 >= n)
		return values[n - 1];
	return values[below] + (rank - below) * (values[below + 1] - values[below]);
}

double
median(double *values, int n)
{
	return quantile(values, n, 0.5);
}

/* Median absolute percentage error, in percent; scratch holds n. */
double
mdape(const double *truth, const double *predicted, int n, double *scratch)
{
	for (int i = 0; i < n; i++)
		scratch[i] = fabs(predicted[i] - truth[i]) / truth[i] * 100;
	return median(scratch, n);
}

double
pearson_r(const double *x, const double *y, int n)
{
	double		mx = 0,
				my = 0,
				xx = 0,
				yy = 0,
				xy = 0;
	bool		x_differs = false;
	bool		y_differs = false;

	for (int i = 0; i < n; i++)
	{
		x_differs |= x[i] != x[0];
		y_differs |= y[i] != y[0];
		mx += x[i] / n;
		my += y[i] / n;
	}
	for (int i = 0; i < n; i++)
	{
		xx += (x[i] - mx) * (x[i] - mx);
		yy += (y[i] - my) * (y[i] - my);
		xy += (x[i] - mx) * (y[i] - my);
	}
	/* The sums of a constant are rounding errors, not zero. */
	return x_differs && y_differs ? xy / sqrt(xx * yy) : NAN;
}

/* Pairs are counted one by one: groups are the cards of a model or the models of a card. */
double
kendall_tau_b(const double *x, const double *y, int n)
{
	double		score = 0,
				untied_x = 0,
				untied_y = 0;

	for (int i = 0; i < n; i++)
		for (int j = i + 1; j < n; j++)
		{
			int			dx = (x[i] > x[j]) - (x[i] < x[j]);
			int			dy = (y[i] > y[j]) - (y[i] < y[j]);

			score += dx * dy;
			untied_x += dx != 0;
			untied_y += dy != 0;
		}
	return untied_x > 0 && untied_y > 0 ? score / sqrt(untied_x * untied_y) : NAN;
}
