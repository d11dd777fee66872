/* objects.h - agents, code objects, kernels and the machine as JSON objects.
 *
 * JSON files and the extdata columns of databases have the same objects. Keys and their order are
 * those of AMD's serialisation. The out_object_ functions write the members; the caller opens and
 * closes the object. */
#ifndef CROCPROF_OUTPUT_OBJECTS_H
#define CROCPROF_OUTPUT_OBJECTS_H

#include "output/json.h"
#include "model/model.h"

void out_object_agent(out_json_t *j, const out_agent_t *a);
void out_object_code_object(out_json_t *j, const trace_code_object_t *c);
/* Writes the kernel's symbol, and its name in all forms. */
void out_object_kernel(out_json_t *j, const out_kernel_t *k);
void out_object_host_function(out_json_t *j, const out_host_function_t *f);

/* Return the names of the enumerators that a stochastic sample has for its instruction's type and
 * for the reason why the wave issued none; "" for values without a name. */
const char *out_sampled_type(const trace_snapshot_t *s);
const char *out_sampled_reason(const trace_snapshot_t *s);

/* Writes the state of the arbiter in the clock of the sample:
 * rocprofiler_pc_sampling_snapshot_v0_t. */
void out_object_snapshot(out_json_t *j, const trace_snapshot_t *s);

/* Writes where a sampled wave ran: rocprofiler_pc_sampling_hw_id_v0_t. */
void out_object_place(out_json_t *j, uint64_t place);

/* Return the id of the machine, or its name if it has no id; and a hash of that, of 63 bits. */
const char *out_machine(const out_model_t *m);
uint64_t out_machine_hash(const out_model_t *m);

#endif
