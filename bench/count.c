/* count.c - what counting costs a kernel: plain, exact counters, each instruction by itself, caches
 * and clocks.
 *
 * Whole dispatches through an AQL queue of the device, one worker, the best of several runs: the
 * CPU time of a dispatch is then a matter of its work alone. bench_count [--json FILE] */
#include "counting.h"

#include "asm.h"
#include "kernels.h"
#include "softgpu/instruction_counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEST_OF = 15 };

static void time_one(counting_t *c, const rig_dispatch_t *d, double *least)
{
    const double start = now();
    counting_dispatch(c, d);
    const double ms = now() - start;
    if (ms < *least) *least = ms;
}

/* Selects an event of the cache model that does not exist: the select registers keep their values,
 * and one that the model was asked for before would start the model again. */
static void unwanted(counting_t *c)
{
    enum { NOTHING = 0x3ff };
    counting_set(c, REG_GRBM_GFX_INDEX, EVERYWHERE);
    counting_set(c, counting_select_reg(TCP, 0), NOTHING);
    counting_send(c);
}

typedef enum { PLAIN, EXACT, CENSUS, MODEL, CENSUS_MODEL, HOWS } how_t;

static void time_census(counting_t *c, const rig_dispatch_t *d, uint32_t level, double *least)
{
    const softgpu_instruction_counts_api_t *api = sg_census_api(SOFTGPU_INSTRUCTION_COUNTS_VERSION);
    const softgpu_instruction_options_t options = {.size = sizeof options, .level = level};
    if (api->start(&options)) return;
    time_one(c, d, least);
    api->stop();
}

/* Milliseconds. */
static void measure(counting_t *c, unsigned k, double ms[HOWS])
{
    static const unsigned exact[] = {4, 25, 26, 54, 55, 56, 60, 113};
    uint64_t args = rig_alloc(c->rig, 8), data = rig_alloc(c->rig, DATA);
    memcpy(rig_ptr(c->rig, args), &data, 8);
    rig_dispatch_t d = {.kernel = rig_kernel(c->rig, kernels[k].text, NULL),
                        .args = args,
                        .lds = kernels[k].lds,
                        .grid = {256 * kernels[k].groups},
                        .group = {256}};
    for (unsigned how = 0; how < HOWS; how++)
        ms[how] = 1e30;
    for (unsigned round = 0; round < BEST_OF; round++) { /* by turns: the host's load is the same */
        time_one(c, &d, &ms[PLAIN]);
        time_census(c, &d, SOFTGPU_INSTRUCTION_EXACT_LEVEL, &ms[CENSUS]);
        time_census(c, &d, SOFTGPU_INSTRUCTION_MODEL_LEVEL, &ms[CENSUS_MODEL]);
        counting_clear(c);
        for (unsigned i = 0; i < 8; i++)
            counting_want(c, SQ, exact[i]);
        unwanted(c);
        counting_start(c);
        time_one(c, &d, &ms[EXACT]);
        counting_stop(c);
        counting_clear(c);
        counting_want(c, SQ, 74);
        counting_want(c, TCP, 29);
        counting_start(c);
        time_one(c, &d, &ms[MODEL]);
        counting_stop(c);
    }
}

int main(int argc, char **argv)
{
    const char *json = NULL;
    for (int i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], "--json")) json = argv[i + 1];
    if (!asm_available()) {
        printf("no assembler\n");
        return 0;
    }
    setenv("SOFTGPU_THREADS", "1", 1);
    FILE *out = json ? fopen(json, "w") : NULL;
    if (out) fprintf(out, "{");
    printf("%-20s %10s %8s %14s %8s %20s\n", "kernel", "plain ms", "exact", "instructions", "model",
           "instructions, model");
    for (unsigned k = 0; k < KERNELS; k++) {
        counting_t *c = counting_create(ENGINES, CUS);
        double ms[HOWS];
        measure(c, k, ms);
        printf("%-20s %10.3f %7.2fx %13.2fx %7.2fx %19.2fx\n", kernels[k].name, ms[PLAIN],
               ms[EXACT] / ms[PLAIN], ms[CENSUS] / ms[PLAIN], ms[MODEL] / ms[PLAIN],
               ms[CENSUS_MODEL] / ms[PLAIN]);
        if (out)
            fprintf(out,
                    "%s\"%s\":{\"plain_ms\":%.4f,\"exact\":%.3f,\"instructions\":%.3f,"
                    "\"model\":%.3f,\"instructions_model\":%.3f}",
                    k ? "," : "", kernels[k].name, ms[PLAIN], ms[EXACT] / ms[PLAIN],
                    ms[CENSUS] / ms[PLAIN], ms[MODEL] / ms[PLAIN], ms[CENSUS_MODEL] / ms[PLAIN]);
    }
    if (out) {
        fprintf(out, "}\n");
        fclose(out);
    }
    return 0;
}
