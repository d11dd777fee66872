/* attach_target.c - fuzz target: the library of a process that is to be attached has any bytes.
 *
 * This process is the other one: it has a thread that waits, and maps a file of the library's name.
 */
#include "folder.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#include "register/register.h"
#include "rocattach/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[128];

static void *wait_for_ever(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), REG_ATTACH_THREAD);
    for (;;)
        pause();
    return NULL;
}

static void begin(void)
{
    pthread_t thread;
    folder_make();
    snprintf(path, sizeof(path), "%s/librocprofiler-register.so.0", folder);
    FILE *f = fopen(path, "w");
    if (!f || fputc(0, f) != 0 || fclose(f) != 0) abort();
    f = fopen(path, "r");
    if (!f || mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(f), 0) == MAP_FAILED) abort();
    fclose(f);
    if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rat_target_t target;
    if (!*path) begin();
    FILE *f = fopen(path, "w");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0) abort();
    if (rat_target_find(&target, getpid()) != ROCATTACH_STATUS_SUCCESS && !*rat_why()) abort();
    return 0;
}
