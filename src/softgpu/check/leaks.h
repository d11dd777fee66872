/* leaks.h - reports leaks when the process ends. */
#ifndef SOFTGPU_CHECK_LEAKS_H
#define SOFTGPU_CHECK_LEAKS_H

/* Reports leaks if the family is wanted. Called once, before the summary. */
void chk_leaks(void);

#endif
