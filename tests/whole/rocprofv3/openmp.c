/* openmp.c - a region of four threads with a loop, a critical section, tasks, a barrier and a lock:
 * what of it a tool is told can be counted. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    enum { THREADS = 4, TASKS = 8 };
    int sum = 0, tasks = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
    omp_set_dynamic(0);
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 100; i++)
#pragma omp atomic
            sum += i;
#pragma omp critical
        sum++;
#pragma omp barrier
#pragma omp single
        for (int i = 0; i < TASKS; i++) {
#pragma omp task
            {
                omp_set_lock(&lock);
                tasks++;
                omp_unset_lock(&lock);
            }
        }
    }
    omp_destroy_lock(&lock);
    printf("%d %d\n", sum, tasks);
    return sum != 4950 + THREADS || tasks != TASKS;
}
