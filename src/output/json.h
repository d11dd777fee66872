/* json.h - JSON written front to back: values, commas and escapes, nothing else.
 *
 * Apart from file.h since databases and JSON files need the same objects. A key may be NULL, as in
 * arrays. Text is taken for UTF-8; what is none is passed on as it is but for control characters.
 */
#ifndef CROCPROF_OUTPUT_JSON_H
#define CROCPROF_OUTPUT_JSON_H

#include "output/file.h"

typedef struct {
    out_file_t *f;
    bool comma; /* before the next value */
} out_json_t;

void out_json_begin(out_json_t *j, const char *key, char bracket); /* { or [ */
void out_json_end(out_json_t *j, char bracket);                    /* } or ] */
void out_json_text(out_json_t *j, const char *key, const char *value);
void out_json_unsigned(out_json_t *j, const char *key, uint64_t value);
void out_json_signed(out_json_t *j, const char *key, int64_t value);
void out_json_double(out_json_t *j, const char *key, double value);
void out_json_bool(out_json_t *j, const char *key, bool value);
/* {"handle": value} */
void out_json_handle(out_json_t *j, const char *key, uint64_t value);

#endif
