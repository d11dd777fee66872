/* decoder.h - what the files of the decoder share: tokens, registers, code, waves, a parse.
 *
 * tokens.c reads the stream, registers.c keeps what register writes in it say, code.c looks up
 * instructions, waves.c follows waves and stitch.c finds the addresses of their instructions;
 * parse.c drives all of these. handle.c has the public functions of both versions of the interface,
 * scan.c the scans of version 2. Names and rules of the format: docs/att.md. */
#ifndef CROCPROF_TRACE_DECODER_DECODER_H
#define CROCPROF_TRACE_DECODER_DECODER_H

#include <rocprof_trace_decoder/rocprof_trace_decoder.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef rocprofiler_thread_trace_decoder_status_t dec_status_t;
typedef rocprofiler_thread_trace_decoder_pc_t dec_pc_t;

#define DEC_SUCCESS   ROCPROFILER_THREAD_TRACE_DECODER_STATUS_SUCCESS
#define DEC_NO_MEMORY ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR_OUT_OF_RESOURCES
#define DEC_INVALID   ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR_INVALID_ARGUMENT
#define DEC_NO_TRACE  ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR_INVALID_SHADER_DATA

enum { DEC_SIMDS = 4, DEC_SLOTS = 10, DEC_UNITS = 16, DEC_ENGINES = 2, DEC_PIPES = 4 };

/* ---- tokens ---- */

typedef enum {
    DEC_MISC,
    DEC_TIMESTAMP,
    DEC_REG,
    DEC_WAVE_START,
    DEC_WAVE_ALLOC,
    DEC_REG_CSPRIV,
    DEC_WAVE_END,
    DEC_EVENT,
    DEC_EVENT_CS,
    DEC_EVENT_GFX1,
    DEC_INST,
    DEC_INST_PC,
    DEC_USERDATA,
    DEC_ISSUE,
    DEC_PERF,
    DEC_REG_CS
} dec_type_t;

enum {
    DEC_MISC_TIME,
    DEC_MISC_RESET,
    DEC_MISC_LOST,
    DEC_MISC_SURF_SYNC,
    DEC_MISC_STALL_BEGIN,
    DEC_MISC_STALL_END,
    DEC_MISC_SAVE_CONTEXT
};

typedef struct {
    uint64_t bits;
    uint64_t at; /* offset of its first byte */
    int64_t time;
    dec_type_t type;
} dec_token_t;

/* The bits from `high` down to `low` of a token. */
static inline uint64_t dec_bits(uint64_t token, unsigned high, unsigned low)
{
    return token >> low & ((UINT64_C(2) << (high - low)) - 1);
}

typedef struct {
    const uint8_t *data;
    uint64_t size, at;
    int64_t now, base; /* base: the timestamp at which time 0 would be */
    bool based;
    bool untimed; /* times are not wanted: no timestamp is looked for ahead */
} dec_stream_t;

/* The size of the word in front of a trace. */
enum { DEC_HEADER_BYTES = 8 };

typedef struct {
    uint8_t unit; /* the compute unit whose instructions are in the trace */
    uint8_t engine;
} dec_header_t;

/* False if the data is not a trace of a GPU that the decoder knows (MI200 to MI350). */
bool dec_header_read(const uint8_t *data, uint64_t size, dec_header_t *header);

/* Reads the next token. False at the end of the stream; an incomplete last token counts as the
 * end. */
bool dec_stream_next(dec_stream_t *s, dec_token_t *token);

/* ---- registers ---- */

typedef struct {
    uint64_t address, size, id;
    bool loaded;
} dec_range_t;

/* What register writes say of the latest dispatch on one pipe. */
typedef struct {
    uint64_t entry, packet;
    uint32_t threads[3], rsrc1, rsrc2;
} dec_pipe_t;

typedef struct {
    bool rocm;         /* the profiler's first marker was seen: others are to be read */
    bool version_next; /* the next marker may be the version */
    bool payload_next; /* the next marker is the value of `field`, of a code object */
    uint32_t field;
    uint64_t mark_address, mark_size, mark_id;
    uint32_t clock_words; /* words of a clock marker that are still to come */
    bool clock_known;
    uint32_t clock[3]; /* ORDER: low half at the moment of the token, high half, low half */
    uint64_t clock_hertz;
    uint64_t counter_interval; /* cycles between counter samples; 0: unknown */
    dec_range_t *ranges;
    size_t range_count, range_room;
    dec_pipe_t pipe[DEC_ENGINES][DEC_PIPES];
} dec_registers_t;

typedef enum {
    DEC_NOTHING,
    DEC_LOADED,
    DEC_UNLOADED, /* value: the code object's id */
    DEC_REALTIME, /* value: the clock */
    DEC_DISPATCHED,
    DEC_FLUSHED,
    DEC_FREQUENCY,
    DEC_LOST_MEMORY
} dec_change_t;

/* Takes a register token and says what it has changed; *value as above. */
dec_change_t dec_registers_take(dec_registers_t *r, const dec_token_t *token, uint64_t *value);
void dec_registers_free(dec_registers_t *r);
dec_status_t dec_registers_copy(dec_registers_t *to, const dec_registers_t *from);

/* Pipe and engine of a register token. */
void dec_token_pipe(const dec_token_t *token, unsigned *engine, unsigned *pipe);

/* The address as an offset in the code object that contains it: a loaded one, or else one that has
 * been unloaded. */
dec_pc_t dec_place(const dec_registers_t *r, uint64_t address);
rocprofiler_thread_trace_decoder_dispatch_t dec_dispatch(const dec_registers_t *r, unsigned engine,
                                                         unsigned pipe);

/* ---- code ---- */

/* Kinds of instructions, by the tokens that they leave. */
typedef enum {
    DEC_LINE_UNKNOWN, /* leaves no token that is known: skipped */
    DEC_LINE_SMEM,
    DEC_LINE_SALU,
    DEC_LINE_VMEM,
    DEC_LINE_FLAT,
    DEC_LINE_LDS,
    DEC_LINE_VALU,
    DEC_LINE_BRANCH,
    DEC_LINE_IMMEDIATE,
    DEC_LINE_MESSAGE,
    DEC_LINE_BARRIER
} dec_line_kind_t;

typedef struct {
    dec_pc_t pc;
    uint64_t next, target; /* addresses in the same object; target: of a branch */
    dec_line_kind_t kind;
    bool wait;     /* s_waitcnt: always in the trace */
    bool targeted; /* a branch to a `target` that the text gives */
    bool known;    /* the callback has given an instruction for this address */
} dec_line_t;

typedef struct {
    rocprof_trace_decoder_isa_callback_t callback;
    void *user;
    dec_line_t *lines; /* hash table by pc */
    size_t count, room;
    char *text;
    uint64_t text_room;
} dec_code_t;

/* The instruction at `pc`; its `known` is false if there is none. NULL: no memory. Valid until the
 * next call. */
const dec_line_t *dec_code_at(dec_code_t *c, dec_pc_t pc);
void dec_code_free(dec_code_t *c);

/* ---- waves ---- */

typedef rocprofiler_thread_trace_decoder_inst_t dec_inst_t;
typedef rocprofiler_thread_trace_decoder_wave_state_t dec_state_t;

/* A known point of the wave's way: instruction `index` is at `address`; 0: not known yet. */
typedef struct {
    size_t index;
    uint64_t address;
} dec_entry_t;

/* Two more categories of instructions: OPEN has been issued and its kind is not known yet; GONE has
 * turned out to be no instruction. */
enum { DEC_OPEN = 255, DEC_GONE = 254 };

typedef enum { DEC_RUNS, DEC_TRAP_ASKED, DEC_TRAP_READY, DEC_TRAP_RETURNS } dec_trap_t;

typedef struct {
    uint8_t simd, slot, contexts, dispatcher, group;
    bool over; /* its end was seen */
    bool lost; /* some of it is missing: no memory */
    bool was_trapped;
    dec_trap_t trap;
    int64_t begin, end;
    dec_inst_t *insts;
    size_t inst_count, inst_room;
    size_t *issued; /* indices of instructions whose kind is not known yet, from issued_first on */
    size_t issued_first, issued_count, issued_room;
    int64_t *stalls; /* when stalls began that belong to no instruction yet */
    size_t stall_first, stall_count, stall_room;
    dec_entry_t *entries;
    size_t entry_count, entry_room;
    size_t entry_wants; /* first entry without an address */
    dec_state_t *states;
    size_t state_count, state_room;
    int state;
    int64_t state_begin;
    size_t last_of[32]; /* last instruction of each kind, + 1: a replay makes it longer */
} dec_wave_t;

dec_wave_t *dec_wave_begin(const dec_token_t *start, uint64_t entry);
void dec_wave_free(dec_wave_t *w);
void dec_wave_issue(dec_wave_t *w, unsigned code, int64_t time);
/* *phase, one for the compute unit, counts instructions issued while another of the wave ran. */
void dec_wave_inst(dec_wave_t *w, unsigned kind, int64_t time, unsigned *phase);
void dec_wave_pc(dec_wave_t *w, uint64_t address);
/* The wave's context is being saved, or has been restored. */
void dec_wave_context(dec_wave_t *w, int64_t time);
/* The wave ends. As in AMD's releases (0.1), the time that a wave waits for its s_endpgm belongs to
 * that instruction, and the wave is idle in what is left. */
void dec_wave_end(dec_wave_t *w, int64_t time);

/* Gives the wave's instructions their addresses. Returns how many have none; SIZE_MAX: no
 * memory. */
size_t dec_stitch(dec_wave_t *w, dec_code_t *code, const dec_registers_t *registers);

/* ---- a parse ---- */

typedef struct {
    rocprof_trace_decoder_trace_callback_t callback;
    void *user;
    dec_code_t *code;
    bool second; /* records of version 2 of the interface */
} dec_parse_t;

dec_status_t dec_parse(const dec_parse_t *parse, const uint8_t *data, uint64_t size);

/* Reads all data that the callback has; the caller frees *data. */
dec_status_t dec_collect(rocprof_trace_decoder_se_data_callback_t callback, void *user,
                         uint8_t **data, uint64_t *size);

/* ---- scans, of version 2 ---- */

/* A part of a trace that has been scanned, and the registers at its beginning and its end. */
typedef struct {
    uint64_t index, size;
    dec_registers_t before, after;
    dec_header_t header;
} dec_chunk_t;

void dec_chunk_free(dec_chunk_t *chunk);
dec_status_t dec_scan(dec_chunk_t *chunk, const uint8_t *data, uint64_t size,
                      const dec_parse_t *parse);
dec_status_t dec_cut(const dec_chunk_t *chunk, const uint8_t *data, uint64_t begin, uint64_t end,
                     uint8_t *out, uint64_t *size);

#endif
