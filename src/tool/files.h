/* files.h - output files of a run without rocprofv3: made when the process has closed its store. */
#ifndef CROCPROF_TOOL_FILES_H
#define CROCPROF_TOOL_FILES_H

#include <stdbool.h>

/* Whether this installation has the program that makes files of records. */
bool tool_files_possible(void);

/* Has that program make files of a run, and waits for it. It gets nothing preloaded. */
void tool_files_make(const char *run);

#endif
