/* json_records.h - the sections of results.json that contain records: the largest part of the file.
 *
 * It is apart from json_results.c, which writes the facts about the process, because conversion
 * spends its time here: a record is written at once into room that is reserved for it. */
#ifndef CROCPROF_OUTPUT_JSON_RECORDS_H
#define CROCPROF_OUTPUT_JSON_RECORDS_H

#include "output/format.h"
#include "output/json.h"

/* Writes the members `callback_records` and `buffer_records`, with all records of the job's source.
 * Failures are kept in the source or in the file. */
void out_json_records(out_json_t *j, out_job_t *job);

#endif
