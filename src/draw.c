/*
 * What a card draws while it serves. With a model loaded, data-centre cards
 * keep their clocks up between requests, so idle power goes with the
 * multiprocessors and their clock, memory and board; while a step runs, memory
 * traffic and multiprocessors add to it, up to the power limit.
 */
#include <math.h>
#include <string.h>

#include "draw.h"
#include "unknown.h"

/* Energy of a byte by memory type, relative; the newest HBM that was measured stands for later ones. */
static double
byte_energy(const char *memory_type)
{
	if (!memory_type)
		return NAN;
	if (strcmp(memory_type, "HBM2e") == 0)
		return 0.94;
	if (strcmp(memory_type, "HBM2") == 0)
		return 0.9;
	if (strncmp(memory_type, "HBM", 3) == 0)
		return 0.6;
	return 1.15;
}

/* idle: multiprocessors, memory, board; decoding: memory at full rate, multiprocessors, memory as far as it is used */
void
draw_terms(const GpuSpec *g, const Step *s, double num_gpus, double bandwidth_use, double *terms)
{
	double		node = (isnan(g->process_nm) ? 7 : g->process_nm) / 7;
	double		bytes = s->bandwidth_gb_s * byte_energy(g->memory_type) * 0.1;

	terms[0] = s->sm_ghz * 0.3 * pow(most(node, 1), 0.75);
	terms[1] = g->memory_gb * num_gpus * 0.2;
	terms[2] = g->tdp_w * num_gpus * 0.1;
	terms[3] = bytes;
	terms[4] = s->sm_ghz * 0.3 * node;
	terms[5] = bytes * bandwidth_use;
}

/* Decoding, the measured cards stop just short of their limit. */
double
draw_cap_w(double tdp_w)
{
	return 0.98 * tdp_w;
}

double
draw_idle_w(const double *terms, const double *weights, double tdp_w, double measured_idle_w)
{
	double		idle = 0;

	for (int i = 0; i < IDLE_TERMS; i++)
		idle += terms[i] * weights[i];
	return isnan(measured_idle_w) ? least(idle, 0.7 * tdp_w) : measured_idle_w;
}

double
draw_w(const double *terms, const double *weights, double tdp_w, double measured_idle_w, double busy)
{
	double		idle = draw_idle_w(terms, weights, tdp_w, measured_idle_w);
	double		decode = 0;

	for (int i = IDLE_TERMS; i < DRAW_TERMS; i++)
		decode += terms[i] * weights[i];
	return idle + busy * least(decode, most(draw_cap_w(tdp_w) - idle, 0.05 * tdp_w));
}
