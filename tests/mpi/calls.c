/* calls.c - calls of MPI whose bytes, peers and counts calls.py computes by hand: one function of
 * each kind, for four ranks, in C. No GPU. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                           \
    do                                                                                             \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            MPI_Abort(MPI_COMM_WORLD, 3);                                                          \
        }                                                                                          \
    while (0)

enum { RANKS = 4 };

static int me;

static void point_to_point(void)
{
    double d[8] = {0};
    MPI_Status status;
    int count, flag = 0, tag;
    const int right = (me + 1) % RANKS, left = (me + RANKS - 1) % RANKS;
    MPI_Request r[2];
    if (me == 0) MPI_Send(d, 8, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
    if (me == 1) {
        MPI_Recv(d, 8, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(d, 3, MPI_FLOAT, 2, 9, MPI_COMM_WORLD);
    }
    if (me == 2) {
        MPI_Probe(1, 9, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_FLOAT, &count);
        CHECK(count == 3);
        MPI_Recv(d, 8, MPI_FLOAT, 1, 9, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_FLOAT, &count);
        CHECK(count == 3 && status.MPI_SOURCE == 1 && status.MPI_TAG == 9);
    }
    MPI_Irecv(d, 4, MPI_INT, left, 11, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(d + 4, 4, MPI_INT, right, 11, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK(r[0] == MPI_REQUEST_NULL && r[1] == MPI_REQUEST_NULL);
    MPI_Sendrecv(d, 2, MPI_DOUBLE, right, 12, d + 4, 3, MPI_DOUBLE, left, 12, MPI_COMM_WORLD,
                 &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK(count == 2 && status.MPI_SOURCE == left);
    MPI_Irecv(d, 1, MPI_INT, MPI_ANY_SOURCE, 13, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(&me, 1, MPI_INT, right, 13, MPI_COMM_WORLD, &r[1]);
    while (!flag)
        MPI_Test(&r[0], &flag, &status);
    CHECK(status.MPI_SOURCE == left);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    MPI_Recv(d, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    static char large[2][1 << 20]; /* too large to be copied: the request is not complete at once */
    MPI_Irecv(large[0], sizeof(large[0]), MPI_CHAR, left, 14, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(large[1], sizeof(large[1]), MPI_CHAR, right, 14, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    for (tag = 0; tag < 40; tag++) { /* more than fit into the room that needs no allocation */
        static MPI_Request many[80];
        static int in[40];
        MPI_Irecv(&in[tag], 1, MPI_INT, left, tag, MPI_COMM_WORLD, &many[tag]);
        MPI_Isend(&tag, 1, MPI_INT, right, tag, MPI_COMM_WORLD, &many[40 + tag]);
        if (tag == 39) MPI_Waitall(80, many, MPI_STATUSES_IGNORE);
    }
}

static void collectives(MPI_Comm comm, int n, int rank)
{
    int a[64] = {0}, b[64] = {0}, counts[RANKS], places[RANKS], total = 0;
    MPI_Request r;
    for (int i = 0; i < n; i++) {
        counts[i] = i + 1;
        places[i] = total;
        total += i + 1;
    }
    MPI_Barrier(comm);
    MPI_Bcast(a, 5, MPI_INT, 1, comm);
    MPI_Reduce(a, b, 3, MPI_INT, MPI_SUM, 0, comm);
    MPI_Allreduce(MPI_IN_PLACE, b, 2, MPI_INT, MPI_MAX, comm);
    MPI_Gather(a, 2, MPI_INT, b, 2, MPI_INT, 1, comm);
    MPI_Gatherv(a, counts[rank], MPI_INT, b, counts, places, MPI_INT, 0, comm);
    MPI_Scatter(a, 3, MPI_INT, b, 3, MPI_INT, 0, comm);
    MPI_Scatterv(a, counts, places, MPI_INT, b, counts[rank], MPI_INT, 1, comm);
    MPI_Allgather(a, 1, MPI_INT, b, 1, MPI_INT, comm);
    MPI_Allgatherv(a, counts[rank], MPI_INT, b, counts, places, MPI_INT, comm);
    MPI_Alltoall(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, comm);
    MPI_Alltoallv(a, counts, places, MPI_INT, b, counts, places, MPI_INT, MPI_COMM_SELF);
    MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter_block(a, b, 2, MPI_INT, MPI_SUM, comm);
    MPI_Scan(a, b, 2, MPI_INT, MPI_SUM, comm);
    MPI_Exscan(a, b, 2, MPI_INT, MPI_SUM, comm);
    MPI_Ibarrier(comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Iallreduce(a, b, 4, MPI_INT, MPI_SUM, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void communicators(void)
{
    MPI_Comm again, half, odd;
    MPI_Group all, some;
    int ranks[2] = {3, 1}, rank, size;
    MPI_Comm_dup(MPI_COMM_WORLD, &again);
    MPI_Barrier(again);
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half);
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &size);
    CHECK(size == 2);
    collectives(half, size, rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, ranks, &some);
    MPI_Comm_create(again, some, &odd);
    if (odd != MPI_COMM_NULL) {
        MPI_Barrier(odd);
        MPI_Comm_free(&odd);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&some);
    MPI_Comm_free(&half);
    MPI_Comm_free(&again);
}

int main(int argc, char **argv)
{
    int provided, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size == RANKS);
    point_to_point();
    communicators();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Send(NULL, 1, MPI_INT, RANKS + 5, 1, MPI_COMM_WORLD) != MPI_SUCCESS);
    MPI_Finalize();
    printf("rank %d is done\n", me);
    return 0;
}
