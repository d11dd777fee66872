/* work.h - what all programs here do: a known number of kernels, calls and marks. */
#ifndef WORK_H
#define WORK_H

/* Fills 4096 words (or WORK_WORDS) on the GPU with `fills` kernels one after the other, copies them back and says
 * whether they are right. */
bool work(unsigned fills);

/* One kernel, and waits for it. The first call prepares. */
bool fill_once();

#endif
