/* pool.c - see pool.h. The calling process sends numbers of pieces, one to each idle worker, and
 * gets frames back. A frame is a head, the worker's output on standard error, and the result. */
#include "base/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/whole.h"

typedef struct {
    uint64_t number, told, bytes;
    int64_t status;
} head_t;

typedef struct {
    pid_t pid;
    int orders, frames, told; /* `told` is a file in memory, which is the worker's standard error */
    bool busy;
    size_t number; /* number of the piece that it does */
} worker_t;

/* The state of a piece whose result has not been taken yet. */
typedef struct {
    bool done;
    int status;
    char *told, *result;
    size_t told_bytes, bytes;
} piece_t;

typedef struct {
    const base_pool_t *p;
    worker_t workers[BASE_POOL_MAX];
    unsigned count;
    piece_t *pieces;
    size_t next, taken; /* the next piece to send, and the next to take */
    bool failed, stopped;
} pool_t;

unsigned base_pool_size(unsigned wanted, size_t count)
{
    cpu_set_t set;
    size_t size = wanted;
    if (!size && sched_getaffinity(0, sizeof(set), &set) == 0) size = (size_t)CPU_COUNT(&set);
    if (size > BASE_POOL_MAX) size = BASE_POOL_MAX;
    if (size > count) size = count;
    return size ? (unsigned)size : 1;
}

void base_pool_keep_memory(void)
{
    enum { LARGE = 32 << 20 }; /* larger allocations come from the system each time */
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, LARGE);
}

/* ---- bytes ---- */

/* Returns a worker's output on standard error since its last piece, to be freed; the file is empty
 * afterwards. */
static char *take_output(int fd, size_t *bytes)
{
    const off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    char *text = end > 0 ? malloc((size_t)end) : NULL;
    const ssize_t n = text ? pread(fd, text, (size_t)end, 0) : 0;
    *bytes = n > 0 ? (size_t)n : 0;
    if (fd >= 0 && (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)) *bytes = 0;
    return text;
}

/* ---- a worker ---- */

/* Does a piece. The result is to be freed. */
static int do_piece(const base_pool_t *p, size_t number, char **result, size_t *bytes)
{
    *result = NULL;
    *bytes = 0;
    FILE *to = open_memstream(result, bytes);
    int status = to ? p->work(p->data, number, to) : -1;
    if (to && fclose(to) == 0) return status;
    base_error("%s: %s", p->name(p->data, number), strerror(ENOMEM));
    return -1;
}

static void be_worker(const base_pool_t *p, const worker_t *w)
{
    uint64_t number;
    while (base_read_whole(w->orders, &number, sizeof(number))) {
        char *result;
        size_t bytes, told_bytes;
        const int status = do_piece(p, number, &result, &bytes);
        char *told = take_output(w->told, &told_bytes);
        const head_t head = {number, told_bytes, status == 0 ? bytes : 0, status};
        const bool sent = base_file_write(w->frames, &head, sizeof(head)) &&
                          base_file_write(w->frames, told, told_bytes) &&
                          base_file_write(w->frames, result, head.bytes);
        free(told);
        free(result);
        if (!sent) _exit(1);
    }
    _exit(0);
}

static void close_ends(const worker_t *w)
{
    close(w->orders);
    close(w->frames);
    if (w->told >= 0) close(w->told);
}

static bool make_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    ends[0] = base_file_own(ends[0]);
    ends[1] = base_file_own(ends[1]);
    if (ends[0] >= 0 && ends[1] >= 0) return true;
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0) close(ends[i]);
    return false;
}

/* Runs in the worker: makes the worker end with the process that has started it, and its standard
 * error the file in memory. */
static void begin_worker(pool_t *s, const worker_t *w, int orders, int frames, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    signal(SIGPIPE, SIG_IGN);
    base_pool_keep_memory();
    for (unsigned i = 0; i < s->count; i++)
        close_ends(&s->workers[i]);
    close(w->orders);
    close(w->frames);
    if (w->told >= 0 && dup2(w->told, STDERR_FILENO) < 0) _exit(1);
    const worker_t own = {.orders = orders, .frames = frames, .told = w->told};
    be_worker(s->p, &own);
}

/* Starts one more worker. Returns false if there is no process, descriptor or memory for it. */
static bool start(pool_t *s)
{
    int orders[2], frames[2];
    if (!make_pipe(orders)) return false;
    if (!make_pipe(frames)) {
        close(orders[0]);
        close(orders[1]);
        return false;
    }
    worker_t w = {.orders = orders[1],
                  .frames = frames[0],
                  .told = base_file_own(memfd_create("told", MFD_CLOEXEC))};
    const pid_t parent = getpid();
    w.pid = fork();
    if (w.pid == 0) begin_worker(s, &w, orders[0], frames[1], parent);
    close(orders[0]);
    close(frames[1]);
    if (w.pid > 0)
        s->workers[s->count++] = w;
    else
        close_ends(&w);
    return w.pid > 0;
}

/* ---- the calling process ---- */

/* Keeps the message about a piece whose worker has died. */
static void note_death(pool_t *s, worker_t *w)
{
    piece_t *piece = &s->pieces[w->number];
    int status = 0;
    char line[256] = "", *text = NULL;
    pid_t ended;
    while ((ended = waitpid(w->pid, &status, 0)) < 0 && errno == EINTR)
        ;
    if (ended == w->pid && WIFSIGNALED(status))
        snprintf(line, sizeof(line), "by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(line, sizeof(line), "with status %d", WIFEXITED(status) ? WEXITSTATUS(status) : 0);
    piece->told = take_output(w->told, &piece->told_bytes);
    if (asprintf(&text, "the process that read it ended %s", line) < 0) text = NULL;
    piece->result = text;
    piece->status = -1;
    piece->done = true;
    close_ends(w);
    *w = s->workers[--s->count];
}

/* Reads a worker's frame; if there is none, the worker has died. */
static void read_frame(pool_t *s, worker_t *w)
{
    head_t head;
    piece_t *piece = &s->pieces[w->number];
    bool good = base_read_whole(w->frames, &head, sizeof(head)) && head.number == w->number;
    if (good) {
        piece->told = malloc(head.told + 1);
        piece->result = malloc(head.bytes + 1);
        good = piece->told && piece->result && base_read_whole(w->frames, piece->told, head.told) &&
               base_read_whole(w->frames, piece->result, head.bytes);
    }
    if (!good) {
        free(piece->told);
        free(piece->result);
        *piece = (piece_t){0};
        kill(w->pid, SIGKILL); /* there is no memory for its frame */
        note_death(s, w);
        return;
    }
    piece->result[head.bytes] = 0;
    piece->told_bytes = head.told;
    piece->bytes = head.bytes;
    piece->status = (int)head.status;
    piece->done = true;
    w->busy = false;
}

static void hand_out(pool_t *s)
{
    const base_pool_t *p = s->p;
    for (unsigned i = 0; i < s->count; i++) {
        worker_t *w = &s->workers[i];
        const uint64_t number = s->next;
        if (w->busy || s->next == p->count || (p->ahead && s->next >= s->taken + p->ahead))
            continue;
        w->busy = true;
        w->number = s->next++;
        /* if the worker has died, read_frame() notices it */
        (void)base_file_write(w->orders, &number, sizeof(number));
    }
}

/* Takes the results of the pieces that are next in order. */
static void take_due(pool_t *s)
{
    const base_pool_t *p = s->p;
    while (!s->failed && s->taken < p->count && s->pieces[s->taken].done) {
        piece_t *piece = &s->pieces[s->taken];
        if (piece->told_bytes) base_file_write(STDERR_FILENO, piece->told, piece->told_bytes);
        if (piece->status != 0 && piece->result && !piece->bytes && *piece->result)
            base_error("%s: %s", p->name(p->data, s->taken), piece->result);
        s->failed =
            piece->status != 0 || p->take(p->data, s->taken, piece->result, piece->bytes) != 0;
        free(piece->told);
        free(piece->result);
        *piece = (piece_t){0};
        s->taken++;
    }
}

static void wait_for_frames(pool_t *s)
{
    struct pollfd waits[BASE_POOL_MAX];
    worker_t *busy[BASE_POOL_MAX];
    nfds_t count = 0;
    for (unsigned i = 0; i < s->count; i++)
        if (s->workers[i].busy) {
            waits[count] = (struct pollfd){.fd = s->workers[i].frames, .events = POLLIN};
            busy[count++] = &s->workers[i];
        }
    const int ready = poll(waits, count, -1);
    if (s->p->stop && *s->p->stop && !s->stopped) {
        s->stopped = true;
        for (unsigned i = 0; i < s->count; i++)
            kill(s->workers[i].pid, *s->p->stop);
    }
    /* backwards, since the last worker takes the index of one that has died */
    for (nfds_t i = count; ready > 0 && i-- > 0;)
        if (waits[i].revents) read_frame(s, busy[i]);
}

static void end(pool_t *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        if (s->failed) kill(s->workers[i].pid, SIGKILL);
        close_ends(&s->workers[i]);
    }
    for (unsigned i = 0; i < s->count; i++)
        while (waitpid(s->workers[i].pid, NULL, 0) < 0 && errno == EINTR)
            ;
    for (size_t i = s->taken; i < s->p->count; i++) {
        free(s->pieces[i].told);
        free(s->pieces[i].result);
    }
    free(s->pieces);
}

/* Does the remaining pieces, one after the other, in this process. */
static int do_rest(const base_pool_t *p, size_t from)
{
    int result = 0;
    for (size_t i = from; result == 0 && i < p->count; i++) {
        char *bytes;
        size_t count;
        result = do_piece(p, i, &bytes, &count);
        if (result == 0) result = p->take(p->data, i, bytes, count);
        free(bytes);
    }
    return result;
}

int base_pool_run(const base_pool_t *p)
{
    pool_t s = {.p = p};
    if (p->workers < 2 || p->count < 2) return do_rest(p, 0);
    s.pieces = calloc(p->count, sizeof(*s.pieces));
    if (!s.pieces) return do_rest(p, 0);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    while (s.count < p->workers && start(&s))
        ;
    const bool any = s.count;
    while (any && !s.failed && s.taken < p->count) {
        hand_out(&s);
        wait_for_frames(&s);
        take_due(&s);
    }
    end(&s);
    sigaction(SIGPIPE, &before, NULL);
    return !any ? do_rest(p, 0) : s.failed ? -1 : 0;
}
