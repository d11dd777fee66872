/* test_services.c - the SDK's GPU services on the fake runtime: what gpu_tool.c prints and checks.
 *
 * The tool is linked in, so the library finds it in the program. The output is compared with
 * services.txt; the tool counts what does not fit together. */
#include "fake_hsa.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
                              uint64_t count);

static void wait_for(hsa_signal_t signal)
{
    while (fake_signal_value(signal) > 0)
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

static void launch(hsa_queue_t *queue, uint64_t object, uint32_t grid, hsa_signal_t signal)
{
    hsa_kernel_dispatch_packet_t p = {
        .header = HSA_PACKET_TYPE_KERNEL_DISPATCH,
        .setup = 1,
        .workgroup_size_x = 64,
        .workgroup_size_y = 1,
        .workgroup_size_z = 1,
        .grid_size_x = grid,
        .grid_size_y = 1,
        .grid_size_z = 1,
        .group_segment_size = 512,
        .kernel_object = object,
        .completion_signal = signal,
    };
    fake_submit(queue, &p, 1);
}

static void *work(void *data)
{
    (void)data;
    hsa_queue_t *queue = fake_queue_create(1024);
    for (int i = 0; i < 2000; i++)
        launch(queue, 0x50040, 64, (hsa_signal_t){0});
    hsa_signal_t last = fake_signal(1);
    launch(queue, 0x50040, 128, last);
    wait_for(last);
    fake_queue_destroy(queue);
    return NULL;
}

int main(void)
{
    fake_real_time = true;
    hsax_api_table_t *table = fake_table(true);
    void *tables[] = {table};
    int status = rocprofiler_set_api_table("hsa", 10500, 0, tables, 1);
    printf("registered: %d\n", status);
    fake_kernels = 2;
    table->core->hsa_executable_freeze_fn((hsa_executable_t){4}, NULL);
    table->core->hsa_executable_freeze_fn((hsa_executable_t){8}, NULL);

    hsa_queue_t *queue = fake_queue_create(1024);
    hsa_signal_t signal = fake_signal(1);
    launch(queue, 0x50000, 256, signal);
    wait_for(signal);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);

    char a[64] = "data", b[64];
    hsa_agent_t agents[] = {FAKE_CPU, FAKE_GPU};
    for (unsigned i = 0; i < 4; i++) {
        hsa_signal_t done = fake_signal(1);
        table->amd_ext->hsa_amd_memory_async_copy_fn(b, agents[i & 1], a, agents[i >> 1], i + 1, 0,
                                                     NULL, done);
        wait_for(done);
    }
    table->core->hsa_executable_destroy_fn((hsa_executable_t){4});
    for (int i = 0; i < 100; i++)
        launch(queue, 0x90000, 512, (hsa_signal_t){0});
    return 0; /* without waiting: the library does at exit */
}
