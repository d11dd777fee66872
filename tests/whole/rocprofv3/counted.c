/* counted.c - calls a traced function, or sets marks, and tells after each how many have returned.
 *
 * The function is an empty one in a table of its own, registered as a HIP runtime would. Two
 * threads write what they have done to standard output, {thread id, calls} in 8 bytes, until they
 * are killed or have done as many as was asked for. usage: counted call|mark CALLS */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <rocprofiler-sdk-roctx/roctx.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include "sdk/offsets.h"

int rocprofiler_set_api_table(const char *name, uint64_t lib_version, uint64_t lib_instance,
                              void **tables, uint64_t num_tables);

typedef hipError_t (*function_t)(hipStream_t);

static struct {
    size_t size;
    void *entries[520];
} table = {.size = sizeof(table)};

static void *volatile *const entry =
    (void *volatile *)(void *)((char *)&table + SDK_OFFSET_hipStreamSynchronize);

static int marks;
static uint32_t calls;

static hipError_t empty(hipStream_t stream)
{
    (void)stream;
    return hipSuccess;
}

static void *run(void *unused)
{
    struct {
        uint32_t thread, done;
    } told = {.thread = (uint32_t)gettid()};
    (void)unused;
    while (told.done < calls) {
        if (marks)
            roctxMarkA("mark");
        else
            ((function_t)*entry)(NULL);
        told.done++;
        if (write(STDOUT_FILENO, &told, sizeof(told)) != sizeof(told)) exit(9);
    }
    return NULL;
}

static int tell_secure(void)
{
    char line[4096];
    bool tool = false;
    for (uint32_t i = 0; i < calls; i++)
        ((function_t)*entry)(NULL);
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof(line), maps))
        tool |= strstr(line, "librocprofiler-sdk-tool") != NULL;
    if (maps) fclose(maps);
    printf("secure %lu, tool %d\n", getauxval(AT_SECURE), tool);
    return 0;
}

int main(int argc, char **argv)
{
    void *tables[1] = {&table};
    pthread_t second;
    if (argc != 3) return 2;
    marks = strcmp(argv[1], "mark") == 0;
    calls = (uint32_t)atol(argv[2]);
    *entry = (void *)empty;
    if (!marks && rocprofiler_set_api_table("hip", 60200, 0, tables, 1) != 0) return 3;
    if (strcmp(argv[1], "secure") == 0) return tell_secure();
    pthread_create(&second, NULL, run, NULL);
    run(NULL);
    pthread_join(second, NULL);
    return 0;
}
