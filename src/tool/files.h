/* files.h - output files of a process that was not started by rocprofv3: they are made when the
 * process has closed its store. */
#ifndef CROCPROF_TOOL_FILES_H
#define CROCPROF_TOOL_FILES_H

#include <stdbool.h>

/* Returns whether this installation has rocprofv3, which makes output files from records. */
bool tool_files_possible(void);

/* Runs rocprofv3 to make the output files of a run, and waits for it. It runs without preloaded
 * libraries. */
void tool_files_make(const char *run);

#endif
