/* The little of TAP that the unit tests need. */
#ifndef TAP_H
#define TAP_H

#include <math.h>
#include <stdio.h>

static int	tap_count;
static int	tap_failed;

#define ok(condition, ...) \
	do { \
		int			passed_ = (condition) ? 1 : 0; \
		tap_failed += !passed_; \
		printf("%sok %d - ", passed_ ? "" : "not ", ++tap_count); \
		printf(__VA_ARGS__); \
		printf("\n"); \
		if (!passed_) \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
	} while (0)

/* Within a relative tolerance; NAN is only close to NAN. */
static inline int
close_to(double a, double b, double tolerance)
{
	if (isnan(a) || isnan(b))
		return isnan(a) && isnan(b);
	return fabs(a - b) <= tolerance * fabs(b);
}

static inline int
done_testing(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed > 0;
}

#endif
