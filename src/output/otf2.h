/* otf2.h - archives in Open Trace Format 2, of one process or of several.
 *
 * An archive is begun, given the records of each process, and ended; it gets its name at the end.
 * It is only built if the library was found (CROCPROF_OTF2). */
#ifndef CROCPROF_OUTPUT_OTF2_H
#define CROCPROF_OUTPUT_OTF2_H

#include "output/format.h"

typedef struct out_otf2 out_otf2_t;

/* `path` is that of the anchor file, <name>.otf2; <name>.def and the folder <name> are made beside
 * it. Returns NULL with a line in `why` on failure. */
out_otf2_t *out_otf2_begin(const char *path, char *why, size_t why_bytes);
/* Adds the records of one process. Returns 0, or -1 with a line in the job's `why`. */
int out_otf2_add(out_otf2_t *o, out_job_t *job);
/* Ends the archive. Returns 0, or -1 with a line in `why`, and then there is no archive. If `keep`
 * is false, it removes the archive, which always succeeds. */
int out_otf2_end(out_otf2_t *o, bool keep, char *why, size_t why_bytes);

#endif
