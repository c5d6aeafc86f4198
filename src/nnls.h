/*
 * Least squares with weights that may not be negative: what physical terms are fitted with.
 */
#ifndef WATTGPU_NNLS_H
#define WATTGPU_NNLS_H

#include <stdbool.h>

#define NNLS_MAX_TERMS 16

extern bool nnls(const double *a, const double *b, int rows, int terms, double *x);
extern bool relative_nnls(const double *a, const double *y, const double *weight, int rows, int terms,
						  int rounds, double tolerance, double ridge, double *x);

#endif
