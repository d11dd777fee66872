/* store.h - the directories of a run: one run directory, one store directory per process in it.
 *
 * <output directory>/.rocprofv3/<run>/       made by rocprofv3; holds `run.conf`
 * <output directory>/.rocprofv3/<run>/<pid>-<n>/   made by the tool library in each process
 *
 * n counts from 0; it is larger if the process id has had a store before, from the program before
 * an exec, or from an earlier process with the same id. */
#ifndef CROCPROF_TRACE_STORE_H
#define CROCPROF_TRACE_STORE_H

#include <stdbool.h>
#include <stddef.h>

#define TRACE_RUNS_DIRECTORY ".rocprofv3"
#define TRACE_RUN_FILE       "run.conf"
/* Name of the file with the tool's messages, in the run directory of an attachment. */
#define TRACE_ATTACH_LOG "attach.log"

/* Keys of the facts that a process writes into its meta segment, as INFO records. */
#define TRACE_INFO_DIRECTORY "output_directory" /* after its keys were replaced */
#define TRACE_INFO_NAME      "output_name"      /* after its keys were replaced */
#define TRACE_INFO_COMMAND   "command"          /* words joined by a blank */
#define TRACE_INFO_PARENT    "parent"           /* parent process id */
#define TRACE_INFO_MACHINE   "machine"          /* /etc/machine-id */
#define TRACE_INFO_SYSTEM    "system"           /* from uname(), like the next ones */
#define TRACE_INFO_HOST      "host"
#define TRACE_INFO_RELEASE   "release"
#define TRACE_INFO_VERSION   "version"
#define TRACE_INFO_HARDWARE  "hardware"
#define TRACE_INFO_DOMAIN    "domain"
#define TRACE_INFO_BOOT      "boot_id"    /* id of the system's boot */
#define TRACE_INFO_LAST      "clock_last" /* at the orderly end: "BOOTTIME REALTIME", both in ns */
#define TRACE_INFO_PAUSED    "mpi_paused" /* 1: MPI was called while nothing was collected */
/* Key in the metadata of a database: "1" if the process did not close its store, because it was
 * killed or left by _exit() or exec. */
#define TRACE_TAG_UNCLOSED "unclosed"
/* The rank of the process in a parallel program is kept under the names of TRACE_RANK_FACTS. */
#define TRACE_INFO_RUNTIMES "runtimes" /* paths of the GPU runtimes; they contain versions */
#define TRACE_INFO_VARIABLE "variable" /* NAME=value, one record for each environment variable */
/* Written by a run that only counts the program's operations: first one fact "THREADS CONTEXTS",
 * then one fact "COUNT OPERATIONS KIND" for each kind. */
#define TRACE_INFO_PROFILE "profile"

/* Writes `directory`/`name` to `path`. Returns 0, or -1 with ENAMETOOLONG and an empty path, which
 * no system call opens. */
int trace_join(char *path, size_t path_bytes, const char *directory, const char *name);

/* Makes a directory and its parents. Returns 0, or -1 with errno. An existing directory is no
 * error. */
int trace_make_directories(const char *path);

/* Makes `base` and, for the caller alone, `base`/.rocprofv3, and writes the latter's path to
 * `runs`. Returns 0, or -1 with a line in `why`. It is also an error if that directory exists and
 * is a symbolic link or belongs to another user, since that user could then replace whatever is
 * written there. */
int trace_runs_create(const char *base, char *runs, size_t runs_bytes, char *why, size_t why_bytes);

/* Makes `run`/<pid>-<n> for the calling process and writes its path to `path`. Returns 0, or -1
 * with errno and an empty path. */
int trace_store_create(const char *run, char *path, size_t path_bytes);

/* Returns the names in a directory, without . and .., sorted by name (numbers by value) and ended
 * by NULL; to be freed with trace_list_free(). Returns NULL with errno if the directory cannot be
 * read. */
char **trace_list(const char *directory);
void trace_list_free(char **list);

/* Removes a store that is not needed any more. The store is renamed first, so that no reader takes
 * a half-removed directory for a store. Returns 0, or -1 with errno. */
int trace_retire(const char *store);

/* Returns whether this is the renamed directory of a store whose removal was interrupted. */
bool trace_is_retired(const char *directory);

/* Removes a directory with the plain files and directories in it; follows no symbolic link. Returns
 * 0, or -1 with errno. */
int trace_remove(const char *directory);

#endif
