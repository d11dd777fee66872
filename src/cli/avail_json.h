/* avail_json.h - results of rocprofv3-avail as JSON. */
#ifndef CROCPROF_CLI_AVAIL_JSON_H
#define CROCPROF_CLI_AVAIL_JSON_H

#include <jansson.h>

#include "cli/avail.h"

/* Returns a GPU's index, name and product, and with `properties` its properties. All functions
 * return a new value, which the caller owns; when out of memory they return NULL, which jansson's
 * functions accept. */
json_t *avail_json_gpu(const avail_gpu_t *gpu, bool properties);
json_t *avail_json_names(const avail_gpu_t *gpu);
json_t *avail_json_counter(const avail_gpu_t *gpu, const rocprofiler_counter_info_v1_t *c);
json_t *avail_json_passes(const ctr_plan_t *plan);

/* Prints {"gpus": gpus} and frees it. Returns 0, or -1 if it cannot be printed. */
int avail_json_print(json_t *gpus);

#endif
