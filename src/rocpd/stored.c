/* stored.c - see stored.h. The temporary database is in $TMPDIR; the store is not changed. */
#include "rocpd/stored.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/log.h"
#include "base/text.h"
#include "db/db.h"
#include "output/convert.h"
#include "trace/format.h"
#include "trace/run.h"
#include "trace/store.h"

bool rocpd_is_store(const char *path)
{
    char meta[PATH_MAX];
    return trace_join(meta, sizeof(meta), path, TRACE_META_FILE) == 0 && access(meta, F_OK) == 0;
}

/* Returns a setting of the process's run; the format is not taken from there. */
static const char *variable(const void *run, const char *name)
{
    if (strcmp(name, trace_settings[TRACE_SET_OUTPUT_FORMAT].variable) == 0) return "rocpd";
    return run ? trace_run_value(run, name) : NULL;
}

static int write_database(void *data, out_job_t *job)
{
    return out_rocpd_write(job, data);
}

static int convert(rocpd_stored_t *s, const char *store, const trace_run_t *run)
{
    char why[PATH_MAX + 512] = "";
    out_config_t config;
    out_result_t result = {0};
    out_conversion_t c = {.config = &config,
                          .take = write_database,
                          .taker = s->database,
                          .threads = 1,
                          .stop = &db_interrupted};
    int status = out_config_read(&config, variable, run, why, sizeof(why));
    if (status == 0) status = out_convert(&c, store, &result, why, sizeof(why));
    if (status != 0)
        base_error("%s: %s", store, why);
    else if (result.running)
        base_error("%s: process %u is still running", store, result.pid);
    if (result.cut && status == 0)
        base_warning("%s: %llu bytes of its records are damaged and were left out", store,
                     (unsigned long long)result.cut);
    out_conversion_free(&c);
    out_config_free(&config);
    return status == 0 && !result.running ? 0 : -1;
}

int rocpd_stored_begin(rocpd_stored_t *s, const char *store)
{
    char run[PATH_MAX];
    const char *temporary = base_env("TMPDIR");
    snprintf(s->directory, sizeof(s->directory), "%s/rocprofv3-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(s->directory)) {
        base_error("%s: %s", s->directory, strerror(errno));
        s->directory[0] = 0;
        return -1;
    }
    snprintf(s->database, sizeof(s->database), "%s/store.db", s->directory);
    snprintf(run, sizeof(run), "%s/..", store);
    trace_run_t *settings = trace_run_read(run); /* if there is none, the defaults hold */
    const int result = convert(s, store, settings);
    trace_run_free(settings);
    return result;
}

void rocpd_stored_end(rocpd_stored_t *s)
{
    if (s->directory[0]) trace_remove(s->directory);
    s->directory[0] = 0;
}
