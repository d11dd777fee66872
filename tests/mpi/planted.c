/* planted.c - programs of steps in which one thing is planted that makes ranks wait, for waits.py.
 *
 *   planted NAME [twin]
 *   planted all twin
 *
 * The twin does the same without it, and takes each rank the same time, so that all of them are one
 * program, too. Work is sleep, so that ranks need no processor of their own.
 * Ranges need no GPU: they are ROCTx's, by its library if it is there. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 8, WORK_MS = 25, MORE_MS = 30, LARGE = 1 << 20 };

static int me, size;
static bool twin;
static int (*push)(const char *), (*pop)(void);
static char buffer[LARGE];

static void work(int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

static void begin(const char *name)
{
    if (push) push(name);
}

static void end(void)
{
    if (pop) pop();
}

static void all(void)
{
    int in = me, out;
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Rank 2 computes longer in each step. */
static void slow_rank(int step)
{
    (void)step;
    work(WORK_MS + (me == 2 && !twin ? MORE_MS : 0));
    all();
}

/* Rank 1 sends to rank 3 after it has worked; rank 3 is there before. */
static void late_sender(int step)
{
    if (me == 1) {
        work(twin ? WORK_MS : WORK_MS + MORE_MS);
        MPI_Send(buffer, 100, MPI_CHAR, 3, step, MPI_COMM_WORLD);
    } else if (me == 3) {
        work(WORK_MS);
        MPI_Recv(buffer, 100, MPI_CHAR, 1, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        work(twin ? WORK_MS : WORK_MS + MORE_MS);
    }
}

/* Rank 0 sends what is too large to be copied; rank 2 asks for it late. */
static void late_receiver(int step)
{
    if (me == 0) {
        work(WORK_MS);
        MPI_Send(buffer, LARGE, MPI_CHAR, 2, step, MPI_COMM_WORLD);
    } else if (me == 2) {
        work(twin ? WORK_MS : WORK_MS + MORE_MS);
        MPI_Recv(buffer, LARGE, MPI_CHAR, 0, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        work(twin ? WORK_MS : WORK_MS + MORE_MS);
    }
}

/* Rank 3 begins half a second after the others. */
static void late_start(int step)
{
    if (step == 0 && me == 3 && !twin) work(500);
    work(WORK_MS);
    all();
}

/* The root of a broadcast does its part of the work first, and the others wait for what they could
 * have had before. */
static void wrong_root(int step)
{
    (void)step;
    if (me == 1 && !twin) work(WORK_MS);
    MPI_Bcast(buffer, 100, MPI_CHAR, 1, MPI_COMM_WORLD);
    if (me != 1 || twin) work(WORK_MS);
    all();
}

/* One of two phases is uneven. */
static void one_phase(int step)
{
    (void)step;
    begin("forces");
    work(10);
    all();
    end();
    begin("neighbours");
    work(10 + (me == 0 && !twin ? MORE_MS : 0));
    all();
    end();
}

/* A barrier behind a collective that orders everything already. */
static void barrier(int step)
{
    (void)step;
    work(WORK_MS);
    all();
    if (!twin) MPI_Barrier(MPI_COMM_WORLD);
}

/* Requests instead of blocking calls: rank 1's message comes late, which rank 0 notices in
 * MPI_Wait. */
static void late_request(int step)
{
    MPI_Request request;
    if (me == 1) {
        work(twin ? WORK_MS : WORK_MS + MORE_MS);
        MPI_Isend(buffer, 100, MPI_CHAR, 0, step, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (me == 0) {
        MPI_Irecv(buffer, 100, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        work(WORK_MS);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        work(twin ? WORK_MS : WORK_MS + MORE_MS);
    }
}

static const struct {
    const char *name;
    void (*step)(int step);
} programs[] = {
    {"slow_rank", slow_rank},   {"late_sender", late_sender},  {"late_receiver", late_receiver},
    {"late_start", late_start}, {"wrong_root", wrong_root},    {"one_phase", one_phase},
    {"barrier", barrier},       {"late_request", late_request}};

static bool is_asked(const char *name, const char *word)
{
    return strcmp(word, name) == 0 || (twin && strcmp(word, "all") == 0);
}

int main(int argc, char **argv)
{
    void *roctx = dlopen("librocprofiler-sdk-roctx.so.1", RTLD_NOW | RTLD_GLOBAL);
    twin = argc > 2;
    if (roctx) {
        *(void **)&push = dlsym(roctx, "roctxRangePushA");
        *(void **)&pop = dlsym(roctx, "roctxRangePop");
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; argc > 1 && i < sizeof(programs) / sizeof(*programs); i++)
        for (int step = 0; step < STEPS && is_asked(programs[i].name, argv[1]); step++)
            programs[i].step(step);
    MPI_Finalize();
    return size < 4;
}
