/*
 * The smaller and the larger of two numbers, unknown if one of them is: fmin
 * and fmax would answer with the other one, and make a limit of a card pass
 * for its power.
 */
#ifndef WATTGPU_UNKNOWN_H
#define WATTGPU_UNKNOWN_H

#include <math.h>

static inline double
least(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : (a < b ? a : b);
}

static inline double
most(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : (a > b ? a : b);
}

#endif
