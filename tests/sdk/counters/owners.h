/* owners.h - what owners_tool.c has the first generation's library do, whose header knows other
 * types of the same names. */
#ifndef CROCPROF_TESTS_SDK_COUNTERS_OWNERS_H
#define CROCPROF_TESTS_SDK_COUNTERS_OWNERS_H

#include <stdbool.h>

/* A session of its own that counts waves on the first GPU: true if the call succeeds. */
bool older_open(void);
bool older_start(void);
bool older_stop(void);
bool older_close(void);

/* Of the call that failed last. */
const char *older_message(void);

#endif
