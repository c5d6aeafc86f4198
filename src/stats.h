/*
 * The figures by which predictions are judged.
 */
#ifndef WATTGPU_STATS_H
#define WATTGPU_STATS_H

extern double median(double *values, int n);
extern double quantile(double *values, int n, double q);
extern double mdape(const double *truth, const double *predicted, int n, double *scratch);
extern double pearson_r(const double *x, const double *y, int n);
extern double kendall_tau_b(const double *x, const double *y, int n);

#endif
