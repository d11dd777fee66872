/* closed.c - a program that closes descriptors which are not its own, and gives their numbers to
 * files of its own: the GPU goes on, and no file of the program's is touched. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "hsa_rig.h"

static void barrier(hsa_queue_t *q)
{
    hsa_signal_t done;
    OK(hsa_signal_create(1, 0, NULL, &done));
    hsa_barrier_and_packet_t packet = {.completion_signal = done};
    send(q, &packet, HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE);
    CHECK(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, 20000000000u,
                                    HSA_WAIT_STATE_ACTIVE) == 0);
    hsa_signal_destroy(done);
}

enum { FILE_BYTES = 64 << 20, BUFFER_BYTES = 1 << 20, BUFFERS = 16 };

static int mine;

static blkcnt_t blocks(void)
{
    struct stat st;
    CHECK(fstat(mine, &st) == 0 && st.st_size == FILE_BYTES);
    return st.st_blocks;
}

/* Every descriptor of softgpu's becomes one of the file. How many there were. */
static int take_numbers(void)
{
    int taken = 0;
    DIR *list = opendir("/proc/self/fd");
    for (struct dirent *e; list && (e = readdir(list));) {
        char target[64] = "";
        int fd = atoi(e->d_name);
        if (fd == dirfd(list) || fd < 512) continue;
        if (readlinkat(dirfd(list), e->d_name, target, sizeof target - 1) < 0) continue;
        if (!strstr(target, "softgpu") && !strstr(target, "userfaultfd")) continue;
        taken += dup2(mine, fd) == fd;
    }
    if (list) closedir(list);
    return taken;
}

static void use_memory(void)
{
    void *memory[BUFFERS];
    for (int i = 0; i < BUFFERS; i++)
        OK(hsa_amd_memory_pool_allocate(vram, BUFFER_BYTES, 0, &memory[i]));
    for (int i = 0; i < BUFFERS; i++)
        OK(hsa_amd_memory_pool_free(memory[i]));
}

/* Started without standard error: the next file has its number, and nothing is told into it. */
static void take_stderr(void)
{
    mine = memfd_create("program", 0);
    CHECK(mine == STDERR_FILENO);
    OK(hsa_init());
    OK(hsa_shut_down());
}

int main(int argc, char **argv)
{
    hsa_queue_t *q;
    if (argc > 1 && strcmp(argv[1], "without-stderr") == 0) {
        take_stderr();
        struct stat st;
        CHECK(fstat(mine, &st) == 0 && st.st_size == 0);
        return failures != 0;
    }
    take_gpu();
    OK(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX, &q));
    barrier(q);
    mine = memfd_create("program", MFD_CLOEXEC);
    CHECK(mine >= 0 && posix_fallocate(mine, 0, FILE_BYTES) == 0);
    blkcnt_t before = blocks();
    CHECK(take_numbers() >= 3); /* the driver, a render node, what doorbells are watched with */
    use_memory();
    barrier(q);
    /* until the queue sleeps, which it tells nobody: some milliseconds after its last packet */
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    barrier(q);
    CHECK(blocks() == before);
    closefrom(3);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); /* until it sleeps once more */
    barrier(q);
    if (!failures) printf("passed\n");
    fflush(stdout);
    _exit(failures != 0); /* the runtime's own descriptors are gone */
}
