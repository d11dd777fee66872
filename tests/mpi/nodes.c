/* nodes.c - ranks that exchange small messages with the next one in a ring, and meet in barriers,
 * for so many steps with a pause of 2 ms between them: much like a solver whose halos are small.
 *
 *   nodes STEPS [paused]
 *
 * With the word, rank 0 has nothing recorded in a fifth of the steps, by ROCTx. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAUSE_US = 2000, EACH = 8 };

static void exchange(int me, int size, int step)
{
    int mine = step, theirs = -1;
    const int next = (me + 1) % size, before = (me + size - 1) % size;
    for (int way = 0; way < 2; way++) {
        const int to = way ? before : next, from = way ? next : before;
        if (me % 2) {
            MPI_Recv(&theirs, 1, MPI_INT, from, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&mine, 1, MPI_INT, to, way, MPI_COMM_WORLD);
        } else {
            MPI_Send(&mine, 1, MPI_INT, to, way, MPI_COMM_WORLD);
            MPI_Recv(&theirs, 1, MPI_INT, from, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (theirs != step) MPI_Abort(MPI_COMM_WORLD, 9);
    }
}

static void control(const char *name)
{
    void *roctx = dlopen("librocprofiler-sdk-roctx.so.1", RTLD_NOW | RTLD_GLOBAL);
    int (*function)(unsigned long thread) = roctx ? dlsym(roctx, name) : NULL;
    if (!function) MPI_Abort(MPI_COMM_WORLD, 8);
    function(0);
}

int main(int argc, char **argv)
{
    int me, size;
    const int steps = argc > 1 ? atoi(argv[1]) : 100;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int pauses = me == 0 && argc > 2 && strcmp(argv[2], "paused") == 0;
    for (int step = 0; step < steps; step++) {
        if (pauses && step == steps / 5) control("roctxProfilerPause");
        if (pauses && step == 2 * steps / 5) control("roctxProfilerResume");
        exchange(me, size, step);
        if (step % EACH == 0) MPI_Barrier(MPI_COMM_WORLD);
        usleep(PAUSE_US);
    }
    MPI_Finalize();
    return 0;
}
