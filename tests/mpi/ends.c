/* ends.c - how programs with MPI end, for calls.py: two ranks, and a word that says how. Errors,
 * the status and what is printed have to be the same with and without the profiler. */
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 4, MESSAGES = 50, CALLS = 1000000 };

static int me;

/* To a file and not to standard output, of which a launcher may lose the end when it is told to
 * kill all ranks. */
static void say(const char *what, int value)
{
    FILE *f = fopen("said", "a");
    if (!f) return;
    fprintf(f, "%d %s %d\n", me, what, value);
    fclose(f);
}

static void *talk(void *data)
{
    const int tag = *(int *)data;
    for (int i = 0, got; i < MESSAGES; i++) {
        if (me == 0) MPI_Send(&i, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
        MPI_Recv(&got, 1, MPI_INT, 1 - me, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (me == 1) MPI_Send(&i, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
        if (got != i) MPI_Abort(MPI_COMM_WORLD, 9);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "plain";
    int provided, error, class;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (strcmp(how, "preloads") == 0) {
        const char *list = getenv("LD_PRELOAD");
        printf("%s\n", list ? list : "");
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    error = MPI_Bcast(&me, -1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Error_class(error, &class);
    say("an error of class", class == MPI_ERR_COUNT);
    errno = 42;
    MPI_Barrier(MPI_COMM_WORLD);
    const int kept = errno;
    say("errno is kept", kept == 42 || kept == 11);
    if (strcmp(how, "threads") == 0) {
        pthread_t threads[THREADS];
        int tags[THREADS];
        for (int i = 0; i < THREADS; i++) {
            tags[i] = i;
            pthread_create(&threads[i], NULL, talk, &tags[i]);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    if (strcmp(how, "cost") ==
        0) { /* what a call costs: with a communicator of one, MPI does next to nothing */
        struct timespec a, b;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
        for (int i = 0; i < CALLS; i++)
            MPI_Bcast(&provided, 1, MPI_INT, 0, MPI_COMM_SELF);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
        printf("%.1f ns a call\n",
               ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / CALLS);
    }
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD); /* both have printed before one of them ends the job */
    if (strcmp(how, "abort") == 0) {
        if (me == 0) MPI_Abort(MPI_COMM_WORLD, 5);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (strcmp(how, "unfinished") == 0) exit(me == 0 ? 6 : 0);
    MPI_Finalize();
    return 0;
}
