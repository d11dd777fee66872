/* json_records.h - the sections of results.json that hold records: the greatest part of the file.
 *
 * Apart from json_results.c, which says what is known of the process, because this is what
 * conversion spends its time on: here a record is written in one go, into room asked for once. */
#ifndef CROCPROF_OUTPUT_JSON_RECORDS_H
#define CROCPROF_OUTPUT_JSON_RECORDS_H

#include "output/format.h"
#include "output/json.h"

/* Members `callback_records` and `buffer_records`, with all records of the job's source. What fails
 * is kept in the source or in the file. */
void out_json_records(out_json_t *j, out_job_t *job);

#endif
