/* sum_up.h - sums the records of many files: of databases, and of files of sums that were made
 * before.
 *
 * A file of sums has what rocpd_partial_put() writes between a head and a checksum:
 *
 *   "CROCSUM\n", u32 version, u32 0, u64 bytes of the sums, the sums, u64 FNV-1a of all before it
 *
 * with the lowest byte of each number first. */
#ifndef CROCPROF_ROCPD_SUM_UP_H
#define CROCPROF_ROCPD_SUM_UP_H

#include "rocpd/files.h"
#include "rocpd/partial.h"

/* Reads all files, by several processes, into an empty partial. With ROCPD_ONCE there may be
 * databases of different versions of the schema and stores among them, and the facts about ranks
 * are read, too. With `forgiving`, files that cannot be read are reported and counted, and the
 * others are added. Returns 0, or -1 after reporting the reason. */
int rocpd_sum_up(const rocpd_files_t *f, const rocpd_options_t *o, rocpd_how_t how, bool forgiving,
                 rocpd_partial_t *whole);

/* Returns the bytes of a file of sums, to be freed; NULL without memory. */
char *rocpd_sums_bytes(const rocpd_partial_t *p, size_t *count);
/* Adds the sums of a file; `from` is its name for messages. Returns 0, or -1 after reporting the
 * reason. */
int rocpd_sums_add(rocpd_partial_t *p, const char *bytes, size_t count, const char *from);

/* Writes a file of sums, which gets its name when it is complete. Returns 0, or -1 after reporting
 * the reason. */
int rocpd_sums_write(const rocpd_partial_t *p, const char *path);

#endif
