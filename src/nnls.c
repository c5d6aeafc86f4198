/*
 * Least squares with weights that may not be negative, after Lawson and
 * Hanson, on the normal equations: there are few terms, and they are scaled
 * to be of one order of magnitude.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnls.h"

#define N NNLS_MAX_TERMS

/* Solve the rows and columns of g that are in use, by Cholesky; false if they depend on each other. */
static bool
solve_active(double g[N][N], const double *c, const bool *used, int terms, double *x)
{
	double		l[N][N];
	double		z[N];
	int			at[N];
	int			n = 0;

	for (int i = 0; i < terms; i++)
	{
		x[i] = 0;
		if (used[i])
			at[n++] = i;
	}
	for (int i = 0; i < n; i++)
	{
		double		sum = c[at[i]];

		for (int j = 0; j <= i; j++)
		{
			double		dot = g[at[i]][at[j]];

			for (int k = 0; k < j; k++)
				dot -= l[i][k] * l[j][k];
			if (i != j)
				l[i][j] = dot / l[j][j];
			else if (dot > 1e-14 * g[at[i]][at[i]])
				l[i][i] = sqrt(dot);
			else
				return false;
		}
		for (int k = 0; k < i; k++)
			sum -= l[i][k] * z[k];
		z[i] = sum / l[i][i];
	}
	for (int i = n - 1; i >= 0; i--)
	{
		for (int k = i + 1; k < n; k++)
			z[i] -= l[k][i] * z[k];
		z[i] /= l[i][i];
		x[at[i]] = z[i];
	}
	return true;
}

/* The x >= 0 that minimises x'gx - 2c'x. */
static bool
solve(double g[N][N], const double *c, int terms, double *x)
{
	bool		used[N] = {false};
	bool		barred[N] = {false};	/* would make the active terms depend on each other */
	double		z[N];

	memset(x, 0, sizeof *x * (size_t) terms);
	for (int rounds = 0; rounds < 10 * N; rounds++)
	{
		int			best = -1;
		double		steepest = 0;

		for (int i = 0; i < terms; i++)
		{
			double		slope = c[i];

			for (int j = 0; j < terms; j++)
				slope -= g[i][j] * x[j];
			slope /= sqrt(g[i][i]) + 1e-300;
			if (!used[i] && !barred[i] && slope > steepest && slope > 1e-10 * fabs(c[i]) / (sqrt(g[i][i]) + 1e-300))
			{
				steepest = slope;
				best = i;
			}
		}
		if (best < 0)
			return true;
		used[best] = true;
		if (!solve_active(g, c, used, terms, z))
		{
			used[best] = false;
			barred[best] = true;
			continue;
		}
		for (;;)
		{
			double		step = 1;
			bool		negative = false;

			for (int i = 0; i < terms; i++)
				if (used[i] && z[i] <= 0)
				{
					negative = true;
					step = fmin(step, x[i] / (x[i] - z[i]));
				}
			if (!negative)
				break;
			for (int i = 0; i < terms; i++)
				if (used[i])
				{
					bool		leaves = z[i] <= 0 && x[i] / (x[i] - z[i]) <= step;

					x[i] += step * (z[i] - x[i]);
					if (leaves)
					{
						x[i] = 0;
						used[i] = false;
					}
				}
			if (!solve_active(g, c, used, terms, z))
				return false;
		}
		memcpy(x, z, sizeof *x * (size_t) terms);
	}
	return false;
}

/* a holds rows of terms. False if there is no solution to be found in double precision. */
bool
nnls(const double *a, const double *b, int rows, int terms, double *x)
{
	double		g[N][N] = {{0}};
	double		c[N] = {0};

	if (terms > N)
		return false;
	for (int r = 0; r < rows; r++)
		for (int i = 0; i < terms; i++)
		{
			const double *row = a + (size_t) r * (size_t) terms;

			for (int j = 0; j < terms; j++)
				g[i][j] += row[i] * row[j];
			c[i] += row[i] * b[r];
		}
	return solve(g, c, terms, x);
}

/*
 * Fit a x = y in relative error: rows are divided by y, and in each round
 * those that are off by more than the tolerance count in proportion less, so
 * that the fit follows most rows and not the worst ones. ridge, relative to
 * the total weight, keeps terms that say the same from trading places.
 */
bool
relative_nnls(const double *a, const double *y, const double *weight, int rows, int terms,
			  int rounds, double tolerance, double ridge, double *x)
{
	size_t		all = (size_t) rows + (size_t) terms;
	double	   *scaled = calloc(all * (size_t) terms, sizeof *scaled);
	double	   *ones = calloc(all, sizeof *ones);
	double	   *current = calloc(all, sizeof *current);
	bool		found = scaled && ones && current;

	for (int r = 0; found && r < rows; r++)
		current[r] = weight[r];
	for (int round = 0; found && round < rounds; round++)
	{
		double		total = 0;

		for (int r = 0; r < rows; r++)
		{
			double		q = sqrt(current[r]);

			for (int i = 0; i < terms; i++)
				scaled[(size_t) r * (size_t) terms + (size_t) i] = a[(size_t) r * (size_t) terms + (size_t) i] / y[r] * q;
			ones[r] = q;
			total += current[r];
		}
		for (int i = 0; i < terms; i++)
			scaled[((size_t) rows + (size_t) i) * (size_t) terms + (size_t) i] = ridge * sqrt(total);
		found = nnls(scaled, ones, rows + terms, terms, x);
		for (int r = 0; r < rows; r++)
		{
			double		fit = 0;

			for (int i = 0; i < terms; i++)
				fit += a[(size_t) r * (size_t) terms + (size_t) i] / y[r] * x[i];
			current[r] = weight[r] * tolerance / fmax(fabs(fit - 1), tolerance);
		}
	}
	free(scaled);
	free(ones);
	free(current);
	return found;
}
