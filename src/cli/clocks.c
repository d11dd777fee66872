/* clocks.c - see clocks.h. It decides which rank queries which, and where the result is stored;
 * trace/ping.c has the exchange. */
#include "cli/clocks.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/launch.h"
#include "trace/ping.h"
#include "trace/ranks.h"
#include "trace/run.h"
#include "trace/store.h"

/* The state of all runs of this rocprofv3: several passes are measured against the same rank 0. */
static struct {
    trace_ping_server_t *server;
    char **files; /* the files with the server's addresses: one in each output directory, since
                   * each pass may have its own */
    size_t file_count;
    char addresses[TRACE_PING_ADDRESSES]; /* addresses that the other ranks have read */
    uint64_t token, own_token;            /* of the server that is asked, and of `server` */
    trace_clock_point_t begin;            /* the run's estimate at the start */
    uint64_t ended_ns;                    /* CLOCK_MONOTONIC at the end of the program */
    long others;                          /* number of ranks that will ask the server */
    uint32_t pass;                        /* number of the program's run, the same on all ranks */
} job;

static const char option[] = "--sync-clocks";

static uint64_t now(void)
{
    return base_clock_ns(CLOCK_MONOTONIC);
}

static uint64_t limit_ns(void)
{
    return trace_setting_number(TRACE_SET_SYNC_TIMEOUT) * 1000000;
}

static uint64_t mix(uint64_t hash, const char *text)
{
    return text ? base_hash64(hash, text, strlen(text)) : hash;
}

/* Returns the job's token. If the user has given an address, there is no file to share a token, so
 * it is computed from facts that all ranks know. */
static uint64_t token_of(const trace_rank_t *rank, const char *address)
{
    char size[24];
    snprintf(size, sizeof(size), " %ld ", rank->size);
    return mix(mix(mix(BASE_HASH64, rank->job), size), address);
}

/* Returns the lowest rank that is profiled. */
static long first_rank(const cli_command_t *c)
{
    char why[256];
    trace_ranks_t listed;
    const char *list = c->values[CLI_PROFILE_MPI_RANKS];
    if (!list || trace_ranks_read(list, -1, &listed, why, sizeof(why)) != 0) return 0;
    return listed.least;
}

/* Returns how many other ranks are profiled, as far as is known; these ask this one. If the
 * launcher does not tell how many ranks there are, these are the ranks that --ranks names. */
static long count_others(const cli_command_t *c, const trace_rank_t *rank)
{
    char why[256];
    trace_ranks_t listed;
    const char *list = c->values[CLI_PROFILE_MPI_RANKS];
    long count = 0, size = rank->size;
    if (list && size < 0 && trace_ranks_read(list, -1, &listed, why, sizeof(why)) == 0)
        size = listed.most + 1;
    if (size > TRACE_PING_RANKS) size = TRACE_PING_RANKS;
    if (!list) return size > 0 ? size - 1 : 0;
    for (long i = 0; i < size; i++)
        count += i != rank->rank && trace_ranks_read(list, i, &listed, why, sizeof(why)) == 0 &&
                 listed.has;
    return count;
}

/* Makes the path <output directory>/.rocprofv3-clock-<job>-<size>. Ids of jobs may contain any
 * characters. */
static int name_file(const cli_session_t *s, const trace_rank_t *rank, char path[PATH_MAX])
{
    char name[NAME_MAX];
    snprintf(name, sizeof(name), ".rocprofv3-clock-%.100s-%ld", rank->job ? rank->job : "0",
             rank->size);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr(".-_", *at)) *at = '_';
    return trace_join(path, PATH_MAX, s->shared, name);
}

/* ---- rank 0 ---- */

/* Writes a file that gets its name when it is complete. */
static int write_file(const char *path, const char *text)
{
    char part[PATH_MAX + 24];
    snprintf(part, sizeof(part), "%s.%d", path, (int)getpid());
    unlink(part);
    const int fd = base_file_open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (fd < 0) return -1;
    const ssize_t bytes = (ssize_t)strlen(text);
    int failed = write(fd, text, (size_t)bytes) != bytes;
    failed |= close(fd) != 0;
    if (!failed && rename(part, path) == 0) return 0;
    const int error = errno;
    unlink(part);
    errno = error;
    return -1;
}

static uint16_t port_of(const char *address)
{
    const char *colon = address ? strrchr(address, ':') : NULL;
    const long port = colon ? strtol(colon + 1, NULL, 10) : 0;
    return port > 0 && port <= UINT16_MAX ? (uint16_t)port : 0;
}

static bool start_server(const trace_rank_t *rank)
{
    char why[256];
    const char *address = trace_setting_given(TRACE_SET_SYNC_ADDRESS);
    job.own_token = address ? token_of(rank, address) : 0;
    while (!job.own_token &&
           getrandom(&job.own_token, sizeof(job.own_token), 0) == sizeof(job.own_token)) {
    }
    job.server = trace_ping_serve(job.own_token, port_of(address), why, sizeof(why));
    if (!job.server) base_warning("%s: %s: clocks are not measured", option, why);
    return job.server != NULL;
}

/* Notes that a file has to be removed at the end. */
static int remember_file(const char *path)
{
    for (size_t i = 0; i < job.file_count; i++)
        if (strcmp(job.files[i], path) == 0) return 0;
    char *copy = strdup(path);
    if (!copy || !BASE_GROW_BY_ONE(job.files, job.file_count)) {
        free(copy);
        return -1;
    }
    job.files[job.file_count++] = copy;
    return 0;
}

/* Tells the other ranks where the server is. Returns false with a message if they cannot know. */
static bool publish(const cli_session_t *s, const trace_rank_t *rank)
{
    char text[TRACE_PING_ADDRESSES + 32], path[PATH_MAX] = "";
    if (trace_setting_given(TRACE_SET_SYNC_ADDRESS)) return true;
    trace_ping_where(job.server, text + snprintf(text, 32, "%016" PRIx64 " ", job.own_token));
    strcat(text, "\n");
    if (name_file(s, rank, path) == 0 && trace_make_directories(s->shared) == 0 &&
        remember_file(path) == 0 && write_file(path, text) == 0)
        return true;
    base_warning("%s: %s: %s: no other rank finds this one", option, path, strerror(errno));
    return false;
}

/* Returns the estimate of the reference node itself. */
static trace_clock_point_t own_clock(uint64_t reference)
{
    return (trace_clock_point_t){.reference = reference, .local_ns = base_clock_ns(CLOCK_BOOTTIME)};
}

/* ---- the other ranks ---- */

/* Reads rank 0's addresses. Returns false if the file does not exist yet. */
static bool find_server(const cli_session_t *s, const trace_rank_t *rank)
{
    const char *address = trace_setting_given(TRACE_SET_SYNC_ADDRESS);
    char path[PATH_MAX], text[TRACE_PING_ADDRESSES + 32];
    if (address) {
        job.token = token_of(rank, address);
        snprintf(job.addresses, sizeof(job.addresses), "%s", address);
        return true;
    }
    if (name_file(s, rank, path) != 0) return false;
    const int fd = base_file_open(path, O_RDONLY | O_NOFOLLOW, 0);
    const ssize_t bytes = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (fd >= 0) close(fd);
    if (bytes < 18 || text[bytes - 1] != '\n') return false;
    text[bytes - 1] = 0;
    job.token = strtoull(text, NULL, 16);
    snprintf(job.addresses, sizeof(job.addresses), "%.*s", TRACE_PING_ADDRESSES - 1, text + 17);
    return true;
}

/* Queries the server until there is an estimate, or no time left: rank 0 may begin later, and then
 * replaces a file with the addresses of an older server. */
static bool ask(const cli_session_t *s, const trace_rank_t *rank, bool end,
                trace_clock_point_t *found)
{
    char why[TRACE_PING_ADDRESSES + 64] = "";
    trace_ping_t ping = {
        .rank = rank->rank, .pass = job.pass, .end = end, .until_ns = now() + limit_ns()};
    bool gone = false;
    if (!end) job.addresses[0] = 0;
    do {
        if (end || find_server(s, rank)) {
            ping.token = job.token;
            if (trace_ping_ask(&ping, job.addresses, found, &gone, why, sizeof(why)) == 0)
                return true;
            if (end && gone) break;
        } else if (!why[0]) {
            snprintf(why, sizeof(why), "no file of its address");
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    } while (now() < ping.until_ns && !cli_interrupted);
    if (cli_interrupted) snprintf(why, sizeof(why), "interrupted");
    base_warning("%s: rank %ld of %ld: %s%s", option, rank->rank, rank->size, why,
                 !end   ? ": its times stay those of its node"
                 : gone ? " any more: how its clock drifts is not known"
                        : ": how its clock drifts is not known");
    return false;
}

/* ---- all ranks ---- */

/* Determines the rank; returns false with a message if there is nothing to measure. */
static bool get_rank(const cli_command_t *c, trace_rank_t *rank)
{
    *rank = trace_rank_told(&trace_environment);
    if (!cli_is_on(c, CLI_SYNC_CLOCKS) || cli_is_on(c, CLI_ECHO)) return false;
    if (rank->rank < 0)
        base_warning("%s: no launcher tells which rank this is: clocks are not measured", option);
    return rank->rank >= 0 && rank->size != 1;
}

void cli_clocks_begin(const cli_session_t *s, const cli_command_t *c, uint32_t pass)
{
    trace_rank_t rank;
    trace_clock_point_t point = {0};
    char text[TRACE_CLOCK_TEXT];
    const char *variable = trace_settings[TRACE_SET_CLOCK_BEGIN].variable;
    job.begin = point;
    job.pass = pass;
    if (!s->run[0] || !get_rank(c, &rank)) return;
    if (rank.rank == first_rank(c)) {
        job.others = 0;
        if (!job.server && !start_server(&rank)) return;
        if (!publish(s, &rank)) return;
        job.others = count_others(c, &rank);
        point = own_clock(trace_ping_reference(job.server));
    } else if (!ask(s, &rank, false, &point)) {
        return;
    }
    job.begin = point;
    trace_clock_put(&point, text);
    if (setenv(variable, text, 1) != 0 || trace_run_add(s->run, variable, text) != 0)
        base_warning("%s: %s: %s", option, s->run, strerror(errno));
}

void cli_clocks_end(const cli_session_t *s, const cli_command_t *c)
{
    trace_rank_t rank;
    trace_clock_point_t point = {0};
    char text[TRACE_CLOCK_TEXT];
    job.ended_ns = now();
    if (!job.begin.reference || !get_rank(c, &rank)) return;
    /* rank 0, or another rank on its node, for which rank 0 does not wait */
    if (!job.begin.error_ns)
        point = own_clock(job.begin.reference);
    else if (!ask(s, &rank, true, &point))
        return;
    trace_clock_put(&point, text);
    if (trace_run_add(s->run, trace_settings[TRACE_SET_CLOCK_END].variable, text) != 0)
        base_warning("%s: %s: %s", option, s->run, strerror(errno));
}

void cli_clocks_finish(int status)
{
    const uint64_t until = job.ended_ns + limit_ns(), at = now();
    /* A status above 128 says that a signal has ended the program. The launcher then often ends all
     * other ranks, too, so that rank 0 does not wait for ranks that have not asked so far. */
    const trace_ping_wait_t wait = {.ranks = status > 128 ? 0 : job.others,
                                    .pass = job.pass,
                                    .ns = job.ended_ns && until > at ? until - at : 0,
                                    .stop = &cli_interrupted};
    const long missing = trace_ping_stop(job.server, &wait);
    if (missing && job.ended_ns && !cli_interrupted)
        base_warning("%s: %ld of %ld other rank%s did not ask within %" PRIu64 " ms", option,
                     missing, job.others, job.others == 1 ? "" : "s", limit_ns() / 1000000);
    job.server = NULL;
    for (size_t i = 0; i < job.file_count; i++) {
        unlink(job.files[i]);
        free(job.files[i]);
    }
    free(job.files);
    job.files = NULL;
    job.file_count = 0;
}
