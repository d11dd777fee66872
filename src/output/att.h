/* att.h - thread traces of a store: raw files, the viewer's folder, statistics of instructions.
 *
 * att.c finds, names and decodes them; att_code.c knows the code and what it cost, att_view.c
 * writes the viewer's files, att_decoder.c finds the decoder library. What is in the files:
 * docs/att.md. */
#ifndef CROCPROF_OUTPUT_ATT_H
#define CROCPROF_OUTPUT_ATT_H

#include <signal.h>

#include "disasm/disasm.h"
#include "output/config.h"
#include "output/json.h"
#include "model/model.h"

#include <rocprof_trace_decoder/rocprof_trace_decoder.h>

typedef rocprofiler_thread_trace_decoder_pc_t out_att_pc_t;
typedef rocprofiler_thread_trace_decoder_wave_t out_att_wave_t;

/* Where files of a process go, and who has taken which names. */
typedef struct {
    const out_model_t *model;
    const out_config_t *config;
    const char *store, *prefix, *directory;
    /* False if another process has a folder of this name. */
    bool (*claim)(void *claimer, const char *path);
    void *claimer;
    unsigned *files;                   /* counts those written */
    const volatile sig_atomic_t *stop; /* it ends with a failure once this is not 0; or NULL */
    char *why;
    size_t why_bytes;
} out_att_job_t;

/* Writes all of it. 0, or -1 with a line in `why`. Nothing at all if the store has no traces. */
int out_att_write(out_att_job_t *job);

/* Names of the raw files and of code objects, as out_att_write gives them, for lists in other
 * files; `put` is called with each. */
void out_att_names(const out_model_t *model, const char *store, const char *prefix, bool code,
                   void (*put)(const char *path, void *user), void *user);

/* ---- att_decoder.c ---- */

typedef struct {
    void *library;
    char path[PATH_MAX];
    __typeof__(rocprof_trace_decoder_parse_data) *parse_data;
    __typeof__(rocprof_trace_decoder_get_info_string) *info_string;
    __typeof__(rocprof_trace_decoder_get_status_string) *status_string;
    /* version 2, all or none */
    __typeof__(rocprof_trace_decoder_create_handle) *create;
    __typeof__(rocprof_trace_decoder_destroy_handle) *destroy;
    __typeof__(rocprof_trace_decoder_set_isa_callback) *set_isa;
    __typeof__(rocprof_trace_decoder_parse) *parse;
} out_decoder_t;

/* Where the library is: below the folders of `paths` (a colon list); if that is NULL or empty, in
 * those of LD_LIBRARY_PATH, in ROCm's, in lib beside this program's folder. False with a line in
 * `why` that says where it was looked for. */
bool out_decoder_find(const char *paths, char path[PATH_MAX], char *why, size_t why_bytes);
bool out_decoder_open(out_decoder_t *d, const char *path, char *why, size_t why_bytes);
void out_decoder_close(out_decoder_t *d);

/* ---- att_code.c ---- */

/* A line of the listing: an instruction, or where a function begins. */
typedef struct {
    out_att_pc_t pc;
    char *text, *source; /* source: NULL where nothing is known */
    bool head;           /* a function begins */
    uint32_t number;
    uint64_t hits, latency, stall, idle;
    bool waits;
    int vm, lgkm;        /* of a wait: how many may be left; -1: not waited for */
    bool is_vm, is_lgkm; /* counted by these */
} out_att_line_t;

typedef struct {
    uint64_t id;
    dis_object_t *object;
} out_att_object_t;

typedef struct {
    out_att_object_t *objects;
    size_t object_count, object_room;
    out_att_line_t *lines; /* in the order of the listing */
    size_t line_count, line_room;
    uint32_t *places; /* hashed by pc: line + 1 */
    size_t place_room;
    char **sources; /* files that lines come from */
    size_t source_count, source_room;
    bool no_memory;
} out_att_code_t;

void out_att_code_add(out_att_code_t *c, uint64_t id, const void *elf, size_t size);
/* Text and size for the decoder. */
rocprofiler_thread_trace_decoder_status_t out_att_isa(char *text, uint64_t *bytes, uint64_t *size,
                                                      out_att_pc_t pc, void *code);
/* Line of an instruction; its whole function is listed when it is the first of it. NULL: not known.
 */
out_att_line_t *out_att_line(out_att_code_t *c, out_att_pc_t pc);
/* Counts a wave's instructions. */
void out_att_count(out_att_code_t *c, const out_att_wave_t *wave);
/* Name of the function at a place; NULL: not known. */
const char *out_att_function(const out_att_code_t *c, out_att_pc_t pc);
/* The listing is forgotten, the objects stay. */
void out_att_code_clear(out_att_code_t *c);
void out_att_code_free(out_att_code_t *c);

/* code.json, and source files with snapshots.json, into a folder; the statistics. */
int out_att_code_json(out_att_code_t *c, const char *folder, char *why, size_t why_bytes);
int out_att_sources(const out_att_code_t *c, const char *folder, char *why, size_t why_bytes);
int out_att_stats(const out_att_code_t *c, const char *path, char *why, size_t why_bytes);

/* ---- att_view.c ---- */

typedef struct out_att_view out_att_view_t;

/* Everything of one dispatch, or of what else was traced at once; nothing is taken any more once
 * *stop, which may be NULL, is not 0. NULL: no memory. */
out_att_view_t *out_att_view_begin(out_att_code_t *code, const char *folder,
                                   const volatile sig_atomic_t *stop);
/* Takes records of a shader engine; a decoder's callback. `view` is the user data. */
rocprofiler_thread_trace_decoder_status_t
out_att_view_take(rocprofiler_thread_trace_decoder_record_type_t type, void *records,
                  uint64_t count, void *view);
/* The engine that records come from now. */
void out_att_view_engine(out_att_view_t *v, int64_t engine);
/* What the decoder had to say of the traces: a bit for each info. */
unsigned out_att_view_infos(const out_att_view_t *v);
/* Writes what is left, and frees it. `counters`: names of what was sampled, separated by blanks or
 * commas. 0, or -1 with a line in `why`. */
int out_att_view_end(out_att_view_t *v, const char *counters, char *why, size_t why_bytes);
/* Frees it. */
void out_att_view_drop(out_att_view_t *v);

#endif
