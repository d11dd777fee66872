/* att.h - thread traces of a store: raw files, the viewer's folder, statistics of instructions.
 *
 * att.c finds, names and decodes the traces; att_code.c has the instructions and their costs,
 * att_view.c writes the viewer's files, and att_decoder.c finds the decoder library. docs/att.md
 * describes the files. */
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

/* Where the files of a process are written, and which names are in use. */
typedef struct {
    const out_model_t *model;
    const out_config_t *config;
    const char *store, *prefix, *directory;
    /* Reserves the name of a folder; returns false if another process has reserved it. */
    bool (*claim)(void *claimer, const char *path);
    void *claimer;
    unsigned *files;                   /* increased by the number of files written */
    const volatile sig_atomic_t *stop; /* once it is not 0, writing ends with a failure; may be
                                        * NULL */
    char *why;
    size_t why_bytes;
} out_att_job_t;

/* Writes all files. Returns 0, or -1 with a line in `why`. If the store has no traces, no files are
 * written. */
int out_att_write(out_att_job_t *job);

/* Calls `put` with the name of each raw file, or of each code object (`code`), as out_att_write
 * names them, for lists in other files. */
void out_att_names(const out_model_t *model, const char *store, const char *prefix, bool code,
                   void (*put)(const char *path, void *user), void *user);

/* ---- att_decoder.c ---- */

typedef struct {
    void *library;
    char path[PATH_MAX];
    __typeof__(rocprof_trace_decoder_parse_data) *parse_data;
    __typeof__(rocprof_trace_decoder_get_info_string) *info_string;
    __typeof__(rocprof_trace_decoder_get_status_string) *status_string;
    /* The functions of version 2; they are all set, or none is. */
    __typeof__(rocprof_trace_decoder_create_handle) *create;
    __typeof__(rocprof_trace_decoder_destroy_handle) *destroy;
    __typeof__(rocprof_trace_decoder_set_isa_callback) *set_isa;
    __typeof__(rocprof_trace_decoder_parse) *parse;
} out_decoder_t;

/* Searches the library in the folders of `paths` (separated by colons) and below them. If `paths`
 * is NULL or empty, it searches the folders of LD_LIBRARY_PATH, ROCm's, and lib beside this
 * program's folder. Returns false with a line in `why` that names the folders searched. */
bool out_decoder_find(const char *paths, char path[PATH_MAX], char *why, size_t why_bytes);
bool out_decoder_open(out_decoder_t *d, const char *path, char *why, size_t why_bytes);
void out_decoder_close(out_decoder_t *d);

/* ---- att_code.c ---- */

/* The counters of a wave's outstanding operations, for which it can wait: those of s_waitcnt, then
 * those that replace them on gfx12. */
enum {
    OUT_ATT_VM,
    OUT_ATT_LGKM,
    OUT_ATT_VS,
    OUT_ATT_LOAD,
    OUT_ATT_STORE,
    OUT_ATT_SAMPLE,
    OUT_ATT_BVH,
    OUT_ATT_DS,
    OUT_ATT_KM,
    OUT_ATT_COUNTERS
};

/* A line of the listing: an instruction, or the first line of a function. */
typedef struct {
    out_att_pc_t pc;
    char *text, *source; /* `source` is NULL if unknown */
    bool head;           /* the line is the first line of a function */
    uint32_t number;
    uint64_t hits, latency, stall, idle;
    bool waits;
    int left[OUT_ATT_COUNTERS]; /* of a wait: how many operations may stay outstanding; -1: it does
                                 * not wait for the counter */
    unsigned events;            /* kinds of operations that the instruction starts */
} out_att_line_t;

typedef struct {
    uint64_t id;
    dis_object_t *object;
} out_att_object_t;

typedef struct {
    out_att_object_t *objects;
    size_t object_count, object_room;
    out_att_line_t *lines; /* lines in the order of the listing */
    size_t line_count, line_room;
    uint32_t *places; /* hash table by pc: line + 1 */
    size_t place_room;
    char **sources; /* the source files of the lines */
    size_t source_count, source_room;
    const char *unknown; /* a GPU whose instructions occur but cannot be disassembled */
    bool no_memory;
} out_att_code_t;

/* Sets the fields that the line's text determines: `waits`, `left` and `events`. */
void out_att_read_waits(out_att_line_t *line);
/* Returns the kinds of operations that the counter counts on GPUs of the generation. */
unsigned out_att_counted(int counter, uint64_t generation);
void out_att_code_add(out_att_code_t *c, uint64_t id, const void *elf, size_t size);
/* The decoder's callback for the text and size of an instruction. */
rocprofiler_thread_trace_decoder_status_t out_att_isa(char *text, uint64_t *bytes, uint64_t *size,
                                                      out_att_pc_t pc, void *code);
/* Returns the line of an instruction; NULL if it is unknown. When the first instruction of a
 * function is requested, the whole function is added to the listing. */
out_att_line_t *out_att_line(out_att_code_t *c, out_att_pc_t pc);
/* Adds the costs of a wave's instructions to their lines. */
void out_att_count(out_att_code_t *c, const out_att_wave_t *wave);
/* Returns the name of the function that contains the address; NULL if it is unknown. */
const char *out_att_function(const out_att_code_t *c, out_att_pc_t pc);
/* Empties the listing and keeps the code objects. */
void out_att_code_clear(out_att_code_t *c);
void out_att_code_free(out_att_code_t *c);

/* Write code.json into a folder; write the source files and snapshots.json into a folder; write the
 * statistics to a file. */
int out_att_code_json(out_att_code_t *c, const char *folder, char *why, size_t why_bytes);
int out_att_sources(const out_att_code_t *c, const char *folder, char *why, size_t why_bytes);
int out_att_stats(const out_att_code_t *c, const char *path, char *why, size_t why_bytes);

/* ---- att_view.c ---- */

typedef struct out_att_view out_att_view_t;

/* Begins the folder of one dispatch, or of another period that was traced. Once *stop is not 0, no
 * more records are taken; `stop` may be NULL. Returns NULL if there is no memory. */
out_att_view_t *out_att_view_begin(out_att_code_t *code, const char *folder,
                                   const volatile sig_atomic_t *stop);
/* Takes records of a shader engine. This is a callback for decoders; its user data is the view. */
rocprofiler_thread_trace_decoder_status_t
out_att_view_take(rocprofiler_thread_trace_decoder_record_type_t type, void *records,
                  uint64_t count, void *view);
/* Sets the engine to which the following records belong. */
void out_att_view_engine(out_att_view_t *v, int64_t engine);
/* Returns the kinds of information (data lost and the like) that the decoder has reported about the
 * traces: one bit for each. */
unsigned out_att_view_infos(const out_att_view_t *v);
/* Writes the remaining files, and frees the view. `counters` are the names of the sampled counters,
 * separated by blanks or commas. Returns 0, or -1 with a line in `why`. */
int out_att_view_end(out_att_view_t *v, const char *counters, char *why, size_t why_bytes);
/* Frees the view without writing. */
void out_att_view_drop(out_att_view_t *v);

#endif
