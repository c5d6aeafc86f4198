/*
 * Predictions for what was left out of training.
 */
#ifndef WATTGPU_EVALUATE_H
#define WATTGPU_EVALUATE_H

#include "train.h"

typedef enum Strategy
{
	STRATEGY_CV,
	STRATEGY_LOGO,
	STRATEGY_LOLO,
	STRATEGY_BOTH,				/* a GPU and a group of LLMs at once */
	NUM_STRATEGIES
} Strategy;

typedef struct Evaluation
{
	Target		target;
	Strategy	strategy;
	const Recipe *recipe;		/* NULL for a baseline */
	const char *baseline;
	Params		params;
	Params	   *itl_params;		/* of a physical power's itl; NULL if there is none */
	Measurement *rows;			/* what is predicted */
	int			n;
	Measurement *training;		/* what is learnt from; may be the same */
	int			num_training;
	const char **folds;			/* their names, in order */
	int			num_folds;
	int		   *row_fold;
	int		   *training_fold;
	double	   *predicted;
	double	   *predicted_by_scenario;	/* with the scenario's own figures in place of the row's; NULL if not wanted */
} Evaluation;

extern Evaluation *evaluation_new(Target target, Strategy strategy, const char *model, Oid measurements, Oid training);
extern void evaluation_run(Evaluation *e);
extern Novelty strategy_novelty(Strategy strategy);

#endif
