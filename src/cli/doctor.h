/* doctor.h - what the files of rocprofv3-doctor share.
 *
 * doctor.c reads the command line, decides which checks run and prints; doctor-table.c has a row
 * for each check; doctor-checks.c has the functions of the rows. A new check is a row. */
#ifndef CROCPROF_CLI_DOCTOR_H
#define CROCPROF_CLI_DOCTOR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* ORDER: the words in doctor.c. */
typedef enum { DOCTOR_PASS, DOCTOR_WARN, DOCTOR_FAIL, DOCTOR_SKIP, DOCTOR_ERROR } doctor_status_t;

typedef struct {
    char root[PATH_MAX];
    const char *root_source; /* how `root` was found */
    const char *version;     /* version of these programs */
} doctor_t;

typedef struct {
    doctor_status_t status;
    char detail[1024];
} doctor_result_t;

typedef struct doctor_check {
    const char *id, *group, *title;
    const char *severity; /* error: the check may fail; warning: may only warn; info */
    const char *probe;    /* passive; process: starts a process; gpu: opens the GPUs */
    const char *depends;  /* ids of checks that must have passed, separated by blanks, or NULL */
    void (*run)(const doctor_t *d, const struct doctor_check *check, doctor_result_t *r);
    const char *argument; /* argument of `run` */
    const char *remedy;
} doctor_check_t;

extern const doctor_check_t doctor_checks[];
extern const size_t doctor_check_count;

/* Sets status and detail. */
void doctor_say(doctor_result_t *r, doctor_status_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Loads a library and exits: the hidden option --load, with which the program runs itself as a
 * child. */
int doctor_load(const char *path);

typedef void doctor_run_t(const doctor_t *d, const doctor_check_t *check, doctor_result_t *r);
doctor_run_t doctor_root, doctor_own_file, doctor_version, doctor_mixed, doctor_metrics, doctor_kfd,
    doctor_kfd_access, doctor_dri, doctor_in_group, doctor_module, doctor_topology, doctor_library,
    doctor_loads, doctor_perfmon, doctor_other_profilers, doctor_counters, doctor_user,
    doctor_preload, doctor_hsa_tools, doctor_tool_libraries, doctor_visibility, doctor_gates,
    doctor_variables, doctor_container, doctor_passthrough, doctor_virtual, doctor_python,
    doctor_no_python, doctor_output, doctor_space, doctor_temporary, doctor_program,
    doctor_avail_runs, doctor_smoke_avail, doctor_smoke_run;

#endif
