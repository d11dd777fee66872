/* leaks.h - see leaks.c. */
#ifndef SOFTGPU_CHECK_LEAKS_H
#define SOFTGPU_CHECK_LEAKS_H

/* Reports what is left, if anybody wants to know: at the end of the process, before the summary. */
void chk_leaks(void);

#endif
