/* files.h - output files of a process that was not started by rocprofv3: made when it has closed
 * its store. */
#ifndef CROCPROF_TOOL_FILES_H
#define CROCPROF_TOOL_FILES_H

#include <stdbool.h>

/* Whether this installation has the program that makes files of records. */
bool tool_files_possible(void);

/* Has that program make the files of a run, and waits for it. The program runs without preloaded
 * libraries. */
void tool_files_make(const char *run);

#endif
