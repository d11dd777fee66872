/* model_time.h - how the name of a GPU shows that the times of its kernels come from a model.
 *
 * softgpu writes the mark into the name that the runtimes read, and what reads results looks for
 * it there. It is in base because neither of the two may include the other. */
#ifndef CROCPROF_BASE_MODEL_TIME_H
#define CROCPROF_BASE_MODEL_TIME_H

/* The end of such a name. */
#define BASE_MODEL_TIME " (model time)"

#endif
