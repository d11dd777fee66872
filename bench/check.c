/* check.c - what --check costs a kernel: each family by itself, and all of them.
 *
 * Whole dispatches through an AQL queue of the device, one worker, CPU time. A process checks the
 * same families from its start to its end, so each choice of families has several processes, by
 * turns. The figure is the median of the processes, some of which are lucky with their memory; that
 * of a process is its best run. docs/check.md promises the limits. bench_check [--json FILE] */
#include "counting.h"

#include "asm.h"
#include "kernels.h"
#include "softgpu/check/group.h"
#include "softgpu/check/kinds.h"
#include "softgpu/check/sink.h"
#include "softgpu/device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BEST_OF = 5, TURNS = 5 };

/* The first is what the others are compared with. */
static const struct {
    const char *name;
    double limit;
} hows[] = {{"0", 1},    {"memory", 2}, {"sync", 1.2}, {"init", 4},
            {"race", 6}, {"hazard", 0}, {"all", 10}};
enum { HOWS = sizeof hows / sizeof *hows };

/* Allocates memory, as the program's own if something is checked, with contents that were copied
 * there. */
static uint64_t give(counting_t *c, uint64_t bytes)
{
    const uint64_t va = rig_alloc(c->rig, bytes);
    const softgpu_check_api_t *api = sg_check_api(SOFTGPU_CHECK_VERSION);
    if (api) {
        api->made(va, bytes, "hipMalloc", 0); /* init watches it */
        chk_transfer(c->rig->memory, 0, va, bytes);
    }
    return va;
}

/* Milliseconds. */
static double measure(unsigned k)
{
    counting_t *c = counting_create(ENGINES, CUS);
    const uint64_t args = give(c, 8), data = give(c, DATA);
    memcpy(rig_ptr(c->rig, args), &data, 8);
    const rig_dispatch_t d = {.kernel = rig_kernel(c->rig, kernels[k].text, NULL),
                              .args = args,
                              .lds = kernels[k].lds,
                              .grid = {256 * kernels[k].groups},
                              .group = {256}};
    double least = 1e30;
    for (unsigned round = 0; round < BEST_OF; round++) {
        const double start = now();
        counting_dispatch(c, &d);
        const double ms = now() - start;
        if (ms < least) least = ms;
    }
    return least;
}

/* In a child of measure_in_child(), which reads the figures. */
static void measure_all(void)
{
    for (unsigned k = 0; k < KERNELS; k++)
        printf("%.4f\n", measure(k));
}

static bool measure_in_child(const char *name, unsigned turn, double ms[KERNELS][TURNS])
{
    setenv("SOFTGPU_CHECK", name, 1);
    FILE *f = popen("exec /proc/$PPID/exe --one", "r");
    unsigned k = 0;
    while (f && k < KERNELS && fscanf(f, "%lf", &ms[k][turn]) == 1)
        k++;
    return f && pclose(f) == 0 && k == KERNELS;
}

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double middle(double ms[TURNS])
{
    qsort(ms, TURNS, sizeof *ms, by_time);
    return ms[TURNS / 2];
}

static void write_json(FILE *f, double ms[HOWS][KERNELS])
{
    fprintf(f, "{");
    for (unsigned k = 0; k < KERNELS; k++) {
        fprintf(f, "%s\"%s\":{\"plain_ms\":%.4f", k ? "," : "", kernels[k].name, ms[0][k]);
        for (unsigned how = 1; how < HOWS; how++)
            fprintf(f, ",\"%s\":%.3f", hows[how].name, ms[how][k] / ms[0][k]);
        fprintf(f, "}");
    }
    fprintf(f, "}\n");
}

int main(int argc, char **argv)
{
    static double all[HOWS][KERNELS][TURNS], ms[HOWS][KERNELS];
    const char *json = argc > 2 && !strcmp(argv[1], "--json") ? argv[2] : NULL;
    if (!asm_available()) {
        printf("no assembler\n");
        return 0;
    }
    setenv("SOFTGPU_THREADS", "1", 1);
    if (argc > 1 && !strcmp(argv[1], "--one")) {
        measure_all();
        return 0;
    }
    for (unsigned turn = 0; turn < TURNS; turn++) /* so that the host's load is the same for all */
        for (unsigned how = 0; how < HOWS; how++)
            if (!measure_in_child(hows[how].name, turn, all[how])) {
                fprintf(stderr, "bench_check: no figures with SOFTGPU_CHECK=%s\n", hows[how].name);
                return 1;
            }
    for (unsigned how = 0; how < HOWS; how++)
        for (unsigned k = 0; k < KERNELS; k++)
            ms[how][k] = middle(all[how][k]);
    printf("%-20s %10s", "kernel", "plain ms");
    for (unsigned how = 1; how < HOWS; how++)
        printf(" %8s", hows[how].name);
    printf("\n");
    for (unsigned k = 0; k < KERNELS; k++) {
        printf("%-20s %10.3f", kernels[k].name, ms[0][k]);
        for (unsigned how = 1; how < HOWS; how++)
            printf(" %7.2fx", ms[how][k] / ms[0][k]);
        printf("\n");
    }
    printf("%-20s %10s", "limit", "");
    for (unsigned how = 1; how < HOWS; how++)
        if (hows[how].limit > 0)
            printf(" %7.1fx", hows[how].limit);
        else
            printf(" %8s", "");
    printf("\n");
    FILE *f = json ? fopen(json, "w") : NULL;
    if (f) {
        write_json(f, ms);
        fclose(f);
    }
    return 0;
}
