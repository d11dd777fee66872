/* store.h - the directories of a run: one run directory, one store directory per process in it.
 *
 * <output directory>/.rocprofv3/<run>/       made by rocprofv3; holds `run.conf`
 * <output directory>/.rocprofv3/<run>/<pid>-<n>/   made by the tool library in each process
 *
 * n counts from 0 and grows when a process id comes again (after exec, or reused). */
#ifndef CROCPROF_TRACE_STORE_H
#define CROCPROF_TRACE_STORE_H

#include <stdbool.h>
#include <stddef.h>

#define TRACE_RUNS_DIRECTORY ".rocprofv3"
#define TRACE_RUN_FILE       "run.conf"
/* In a run directory of an attachment: the tool's messages. */
#define TRACE_ATTACH_LOG "attach.log"

/* Facts a process writes into its meta segment (INFO records). */
#define TRACE_INFO_DIRECTORY "output_directory" /* keys replaced */
#define TRACE_INFO_NAME      "output_name"      /* keys replaced */
#define TRACE_INFO_COMMAND   "command"          /* words joined by a blank */
#define TRACE_INFO_PARENT    "parent"           /* parent process id */
#define TRACE_INFO_MACHINE   "machine"          /* /etc/machine-id */
#define TRACE_INFO_SYSTEM    "system"           /* these as uname gives them */
#define TRACE_INFO_HOST      "host"
#define TRACE_INFO_RELEASE   "release"
#define TRACE_INFO_VERSION   "version"
#define TRACE_INFO_HARDWARE  "hardware"
#define TRACE_INFO_DOMAIN    "domain"
#define TRACE_INFO_BOOT      "boot_id"    /* of the system that runs: its clocks count from there */
#define TRACE_INFO_LAST      "clock_last" /* at the orderly end: "BOOTTIME REALTIME", both in ns */
/* In the metadata of a database: "1" if the process has not closed its store: it was killed, or
 * left by _exit() or exec. */
#define TRACE_TAG_UNCLOSED "unclosed"
/* The rank of the process in a parallel program is under the names of TRACE_RANK_FACTS. */
#define TRACE_INFO_RUNTIMES "runtimes" /* files of the GPU runtimes, whose names tell versions */
#define TRACE_INFO_VARIABLE "variable" /* NAME=value, one for each of the environment */
/* Of a run that only counts what the program does: first a fact "THREADS CONTEXTS", then one "COUNT
 * OPERATIONS KIND" for each kind. */
#define TRACE_INFO_PROFILE "profile"

/* Writes `directory`/`name`. 0, or -1 with ENAMETOOLONG and an empty path, which no call opens. */
int trace_join(char *path, size_t path_bytes, const char *directory, const char *name);

/* mkdir -p. 0, or -1 with errno. An existing directory is fine. */
int trace_make_directories(const char *path);

/* Makes `base` and, for the caller alone, `base`/.rocprofv3, and writes the latter's path to
 * `runs`. 0, or -1 with a line in `why`. It is also an error if the directory exists and is a
 * symbolic link or belongs to another user, who could then replace whatever is written there. */
int trace_runs_create(const char *base, char *runs, size_t runs_bytes, char *why, size_t why_bytes);

/* Makes `run`/<pid>-<n> for the calling process and writes its path to `path`.
 * 0, or -1 with errno and an empty path. */
int trace_store_create(const char *run, char *path, size_t path_bytes);

/* The entries of a directory, sorted by name (numbers by value), without . and ..
 * NULL with errno if it cannot be read. Ends with NULL; free with trace_list_free. */
char **trace_list(const char *directory);
void trace_list_free(char **list);

/* Removes a store that is not needed any more. It is first renamed so that it counts as no store:
 * nobody sees one of which only some files are gone. 0, or -1 with errno. */
int trace_retire(const char *store);

/* True for the renamed directory of a store whose removal did not come to its end. */
bool trace_is_retired(const char *directory);

/* Removes a directory with the plain files and directories in it; follows no symbolic link. 0, or
 * -1 with errno. */
int trace_remove(const char *directory);

#endif
