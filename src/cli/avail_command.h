/* avail_command.h - what rocprofv3-avail was asked, and its command pmc-check. */
#ifndef CROCPROF_CLI_AVAIL_COMMAND_H
#define CROCPROF_CLI_AVAIL_COMMAND_H

#include <jansson.h>

#include "base/log.h"
#include "cli/avail.h"

enum { AVAIL_ALL_GPUS = -1 };

typedef struct {
    const char *gpu, *extra;
    const gpus_product_t *product; /* the product that was named; NULL: the GPUs of this machine */
    int device;
    enum { AVAIL_NO_COMMAND, AVAIL_LIST, AVAIL_INFO, AVAIL_PMC_CHECK } command;
    bool help, pmc, agent, sampling, streams, quiet, as_json;
    const char **names; /* names of counters */
    size_t name_count;
    json_t *gpus; /* the result in JSON, while it is made; NULL: the result is printed as text */
} avail_options_t;

/* Prints the error message; the value is -1. */
#define AVAIL_REFUSE(...) (base_error(__VA_ARGS__), -1)

/* Whether the question is about this GPU. */
bool avail_is_meant(const avail_options_t *o, const avail_gpu_t *gpu);

/* Prints that no GPU that is meant has a counter of this name, with a similar name, if there is
 * one. */
void avail_refuse_name(const avail_t *a, const avail_options_t *o, const char *name);

/* Checks whether the counters that are named can be collected, or sampled, together on each GPU,
 * and prints that or adds it to `gpus`. Returns 0, or -1 if they cannot, or if a word is wrong;
 * errors have been printed. */
int avail_pmc_check(const avail_t *a, const avail_options_t *o);

#endif
