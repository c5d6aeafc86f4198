#include "stats.h"
#include "tap.h"

int
main(void)
{
	double		v[] = {4, 1, 3, 2};
	double		truth[] = {100, 200, 400};
	double		predicted[] = {110, 190, 400};
	double		scratch[3];
	double		x[] = {1, 2, 3, 4, 5};
	double		y[] = {2, 1, 4, 3, 5};
	double		tied[] = {1, 1, 2, 3, 3};
	double		constant[] = {7, 7, 7, 7, 7};

	ok(median(v, 4) == 2.5, "the median of four is midway between the inner two");
	ok(close_to(quantile(v, 4, 0.9), 3.7, 1e-12), "the 90 %% quantile of 1..4 is 3.7");
	ok(quantile(v, 4, 0) == 1 && quantile(v, 4, 1) == 4, "quantiles end at the extremes");
	ok(isnan(median(v, 0)), "nothing has no median");
	ok(close_to(mdape(truth, predicted, 3, scratch), 5, 1e-12), "errors of 10, 5 and 0 %% have the median 5");
	ok(close_to(pearson_r(x, y, 5), 0.8, 1e-12), "r: 8 / sqrt(10 x 10)");
	ok(isnan(pearson_r(x, constant, 5)), "a constant has no r");
	ok(close_to(kendall_tau_b(x, y, 5), 0.6, 1e-12), "tau: 8 pairs agree, 2 do not, of 10");
	ok(close_to(kendall_tau_b(x, tied, 5), 8 / sqrt(10 * 8.0), 1e-12), "tau-b with two ties: 8 / sqrt(10 x 8)");
	ok(isnan(kendall_tau_b(x, constant, 5)), "a constant has no tau");
	return done_testing();
}
