/* shapes.c - programs of other shapes than those by which the limits of rocprofv3 waits were chosen,
 * in which one thing is planted that makes ranks wait, for waits.py.
 *
 *   shapes NAME [twin]
 *
 * The twin does the same without it. Work is sleep, as in planted.c. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 16, WORK_MS = 20, MORE_MS = 20, WIDTH = 3, NODE = 3, LARGE = 1 << 20 };

static int me, size;
static bool twin;
static char sent[LARGE], came[4][LARGE];

static void work(int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

static int more(int rank)
{
    return me == rank && !twin ? MORE_MS : 0;
}

/* Each rank gets an item from the one before, works on it and hands it on. Rank 3's part of the
 * work is twice that of the others. */
static void pipeline(int step)
{
    if (me) MPI_Recv(came[0], 100, MPI_CHAR, me - 1, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(WORK_MS + more(3));
    if (me + 1 < size) MPI_Send(sent, 100, MPI_CHAR, me + 1, step, MPI_COMM_WORLD);
}

/* A grid of WIDTH x WIDTH ranks exchanges its borders; each fourth step all compute a sum. The rank
 * in the last corner is slow. */
static void halo(int step)
{
    const int x = me % WIDTH, y = me / WIDTH;
    const int moves[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    MPI_Request requests[8];
    int count = 0, in = me, out;
    work(WORK_MS + more(WIDTH * WIDTH - 1));
    for (int i = 0; i < 4; i++) {
        const int to_x = x + moves[i][0], to_y = y + moves[i][1];
        if (to_x < 0 || to_x >= WIDTH || to_y < 0 || to_y >= WIDTH) continue;
        MPI_Irecv(came[i], 1000, MPI_CHAR, to_y * WIDTH + to_x, step, MPI_COMM_WORLD,
                  &requests[count++]);
        MPI_Isend(sent, 1000, MPI_CHAR, to_y * WIDTH + to_x, step, MPI_COMM_WORLD,
                  &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    if (step % 4 == 3) MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Sums in the communicators of nodes, then of the first ranks of these, whose result goes back. One
 * of the other ranks is slow. */
static void nodes(int step)
{
    static MPI_Comm node, heads;
    int in = me, out = 0, all = 0;
    if (step == 0) {
        MPI_Comm_split(MPI_COMM_WORLD, me / NODE, me, &node);
        MPI_Comm_split(MPI_COMM_WORLD, me % NODE ? MPI_UNDEFINED : 0, me, &heads);
    }
    work(WORK_MS + more(5));
    MPI_Reduce(&in, &out, 1, MPI_INT, MPI_SUM, 0, node);
    if (me % NODE == 0) MPI_Allreduce(&out, &all, 1, MPI_INT, MPI_SUM, heads);
    MPI_Bcast(&all, 1, MPI_INT, 0, node);
}

/* A ring in which all send and receive without blocking, work, and wait then. Rank 1 works longer
 * before it waits and goes on. */
static void late_wait(int step)
{
    MPI_Request requests[2];
    MPI_Irecv(came[0], LARGE, MPI_CHAR, (me + size - 1) % size, step, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent, LARGE, MPI_CHAR, (me + 1) % size, step, MPI_COMM_WORLD, &requests[1]);
    work(WORK_MS + more(1));
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static const struct {
    const char *name;
    void (*step)(int step);
} programs[] = {{"pipeline", pipeline}, {"halo", halo}, {"nodes", nodes}, {"late_wait", late_wait}};

int main(int argc, char **argv)
{
    twin = argc > 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; argc > 1 && i < sizeof(programs) / sizeof(*programs); i++)
        for (int step = 0; step < STEPS && strcmp(programs[i].name, argv[1]) == 0; step++)
            programs[i].step(step);
    MPI_Finalize();
    return 0;
}
