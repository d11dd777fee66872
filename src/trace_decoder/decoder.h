/* decoder.h - what the files of the decoder share: tokens, registers, code, waves, a parse.
 *
 * format.c lists the streams of GPUs and their differences. tokens_gfx9.c and tokens_gfx10.c read
 * the streams, registers.c keeps the registers that are written in them, code.c looks up
 * instructions, waves_*.c follow waves and stitch.c finds the addresses of their instructions;
 * parse_*.c call all of these, and parse.c sends records. handle.c has the public functions of both
 * versions of the interface, scan.c the scans of version 2. docs/att.md describes the fields. */
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

/* DEC_SLOTS are those of gfx9, DEC_SLOTS_MAX those of gfx10 and later. */
enum { DEC_SIMDS = 4, DEC_SLOTS = 10, DEC_SLOTS_MAX = 32, DEC_ENGINES = 2, DEC_PIPES = 4 };
/* Numbers of units in records: on gfx10 and later a unit is a workgroup processor, and the upper
 * half of the numbers belongs to the second shader array. */
enum { DEC_UNITS = 256, DEC_ARRAY = 1 << ROCPROFILER_TRACE_DECODER_CU_SA_SHIFT };

/* ---- formats ---- */

/* Meanings of the kinds of instruction tokens. */
typedef enum {
    DEC_KIND_PLAIN,
    DEC_KIND_OTHER,   /* an instruction of a wave of another SIMD */
    DEC_KIND_TO_PC,   /* a jump, whose target follows */
    DEC_KIND_TRAP,    /* the wave enters the trap handler */
    DEC_KIND_RETURN,  /* the wave returns from the trap handler */
    DEC_KIND_BARRIER, /* complete when issued; the wave waits at a barrier */
} dec_meaning_t;

/* How long a kind lasts on a GPU whose header has the rate of double precision. */
typedef enum { DEC_RATE_ONE, DEC_RATE_DOUBLE, DEC_RATE_DERATED } dec_rate_t;

/* The kinds `first` to `last` of instruction tokens: their category, and the cycles of the first of
 * them; each following kind takes one cycle more. */
typedef struct {
    uint8_t first, last, category, cycles;
    uint8_t rate, meaning;
} dec_kind_t;

struct dec_row;
struct dec_parse_run;

/* Meaning of a time stamp of gfx10 and later, by the value of its two bits. */
typedef enum { DEC_STAMP_NOTHING, DEC_STAMP_TIME, DEC_STAMP_LOST, DEC_STAMP_REAL } dec_stamp_t;

/* A version of the stream. */
typedef struct {
    uint8_t version;    /* as in the stream's first word */
    uint8_t generation; /* as in GFXIP records */
    bool bytes; /* tokens consist of whole bytes, after a word that the profiler has written:
                 * gfx9 */
    /* granules of the dispatch's fields: registers of a lane, and bytes */
    uint32_t vgpr_unit, lds_unit;
    uint32_t vgpr_unit64; /* the same for waves of 64 lanes, if 32 are usual */
    uint32_t sgpr_unit;   /* 0: each wave has all registers */
    void (*parse)(struct dec_parse_run *run);
    bool swaps;         /* tokens of two units may be in reverse order */
    bool barrier_twice; /* s_barrier leaves a second token when the wave continues */
    bool skips_told;    /* a vector or memory instruction without active lanes has an immediate
                         * token */
    /* for streams that do not consist of bytes */
    const struct dec_row *rows;   /* the last one has no name */
    const dec_kind_t *kinds;      /* the last one has a `last` that is less than its `first` */
    uint8_t stamps[4];            /* dec_stamp_t */
    uint8_t unit_bits, rate_bits; /* size of the header's unit, and of its rate of double
                                   * precision */
    bool barriers_told;           /* the header says whether waits at barriers are left out */
    bool misc_lost;    /* MISC means that tokens were lost, not that a counter was sampled */
    bool ready_first;  /* WAVE_READY tokens follow the instructions of their clock */
    bool barrier_long; /* a barrier's token comes when the wave arrives; the wave waits until its
                        * next token */
    bool data_masked;  /* shader data without active lanes is marked, and has no meaning */
} dec_format_t;

extern const dec_kind_t dec_kinds_gfx10[], dec_kinds_gfx11[], dec_kinds_gfx12[];

/* ---- tokens of gfx9 ---- */

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

/* Returns the bits from `high` down to `low` of a token. */
static inline uint64_t dec_bits(uint64_t token, unsigned high, unsigned low)
{
    return token >> low & ((UINT64_C(2) << (high - low)) - 1);
}

typedef struct {
    const uint8_t *data;
    uint64_t size, at;
    int64_t now, base; /* `base`: the timestamp that corresponds to time 0 */
    bool based;
    bool untimed; /* times are not needed, so no timestamp is read ahead */
} dec_stream_t;

/* The size of the word before a trace of gfx9. */
enum { DEC_HEADER_BYTES = 8 };

typedef struct {
    const dec_format_t *format;
    uint64_t word;  /* on gfx10 and later: the header token itself */
    uint8_t unit;   /* unit whose instructions are in the trace; DEC_ARRAY + n: unit of the second
                     * array */
    uint8_t engine; /* 0 if it is not in the stream */
    uint8_t simd;   /* the traced SIMD, on gfx10 and later */
    uint16_t rate;  /* cycles of double precision */
    uint8_t derate; /* largest factor by which they become more */
    bool barriers_missing; /* instructions that wait at a barrier rarely leave tokens */
} dec_header_t;

/* Returns false if the data is not a trace of a supported GPU. */
bool dec_header_read(const uint8_t *data, uint64_t size, dec_header_t *header);
/* The same for the header token of a stream of gfx10 or later. */
void dec_header_take(uint64_t word, dec_header_t *header);

/* Reads the next token. Returns false at the end of the stream; an incomplete last token counts as
 * the end. */
bool dec_stream_next(dec_stream_t *s, dec_token_t *token);

/* ---- tokens of gfx10 and later ---- */

typedef enum {
    DEC_UNKNOWN, /* no known token begins like this; four bits are skipped */
    DEC_PAD,
    DEC_HEADER,
    DEC_TIME,
    DEC_STAMP,
    DEC_STATE,
    DEC_WRITE,
    DEC_LAUNCH,
    DEC_HAPPENED,
    DEC_BEGIN,
    DEC_BEGIN_LONG, /* more about the wave follows in words of DEC_MORE */
    DEC_MORE,
    DEC_END,
    DEC_INSTRUCTION,
    DEC_VALU,
    DEC_IMMEDIATE,
    DEC_IMMEDIATES,
    DEC_READY,
    DEC_GOES_TO,
    DEC_DATA,
    DEC_DATA_SHORT,
    DEC_UNREPORTED /* the meaning is known, but no record has it */
} dec_packed_type_t;

/* Fields of tokens. A row lists those that its token has; the others are read as 0. */
typedef enum {
    DEC_F_DELTA, /* clocks since the token before */
    DEC_F_ARRAY,
    DEC_F_SIMD,
    DEC_F_UNIT,
    DEC_F_SLOT,
    DEC_F_PIPE,
    DEC_F_ENGINE,
    DEC_F_LANES,
    DEC_F_GROUP,
    DEC_F_UNGROUPED, /* GROUP has another meaning */
    DEC_F_KIND,
    DEC_F_SLOTS,
    DEC_F_VALUE,
    DEC_F_ADDRESS,
    DEC_F_COMPUTE,
    DEC_F_DROPPED,
    DEC_F_PRIVILEGED,
    DEC_F_MASKED,
    DEC_F_BOTTOM,
    DEC_FIELDS
} dec_field_t;

typedef struct {
    uint8_t high, low;
} dec_span_t;

typedef struct dec_row {
    const char *name;
    dec_packed_type_t type;
    uint8_t prefix, prefix_bits; /* its lowest bits, by which it is recognised */
    uint8_t bits;                /* its length, a multiple of four */
    dec_span_t fields[DEC_FIELDS];
} dec_row_t;

extern const dec_row_t dec_rows_gfx10[], dec_rows_gfx11[], dec_rows_gfx12[];

typedef struct {
    const dec_row_t *row;
    uint64_t bits; /* the first 64 bits */
    uint64_t at;   /* offset of its first bit */
    int64_t time;
} dec_packed_t;

static inline uint64_t dec_field(const dec_packed_t *token, dec_field_t field)
{
    const dec_span_t span = token->row->fields[field];
    return span.high ? dec_bits(token->bits, span.high, span.low) : 0;
}

typedef struct {
    const dec_format_t *format;
    const uint8_t *data;
    uint64_t size, at; /* in bits */
    int64_t now;
    bool more;         /* the token before may continue */
    uint8_t look[256]; /* index of a row + 1 by the first eight bits of a token; 0: unknown */
} dec_packed_stream_t;

void dec_packed_begin(dec_packed_stream_t *s, const dec_format_t *format, const uint8_t *data,
                      uint64_t size);
/* Reads the next token. Returns false at the end of the stream; an incomplete last token counts as
 * the end, which is then before `size`. */
bool dec_packed_next(dec_packed_stream_t *s, dec_packed_t *token);
/* Returns the meaning of a STAMP token. */
dec_stamp_t dec_packed_stamp(const dec_format_t *format, const dec_packed_t *token);

/* ---- registers ---- */

typedef struct {
    uint64_t address, size, id;
    bool loaded;
} dec_range_t;

/* Registers of the latest dispatch on one pipe. */
typedef struct {
    uint64_t entry, packet;
    uint32_t threads[3], rsrc1, rsrc2;
    bool wave64; /* the GPU has waves of 32 lanes, the kernel those of 64 */
} dec_pipe_t;

typedef struct {
    const dec_format_t *format;
    bool rocm;         /* the profiler's first marker was seen: later ones are valid */
    bool version_next; /* the next marker may be the version */
    bool payload_next; /* the next marker is the value of `field` of a code object */
    uint32_t field;
    uint64_t mark_address, mark_size, mark_id;
    uint32_t clock_words; /* number of words of a clock marker that are still to follow */
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

/* The write of a register. */
typedef struct {
    uint8_t engine, pipe;
    bool dropped; /* a write before it is missing in the trace */
    bool compute; /* it is a compute register: then `number` counts from 0x2e00 */
    uint16_t number;
    uint32_t word;
} dec_write_t;

/* Applies a write and returns what it has changed; *value is as above. */
dec_change_t dec_registers_write(dec_registers_t *r, const dec_write_t *write, uint64_t *value);
/* The same for a token of gfx9. */
dec_change_t dec_registers_take(dec_registers_t *r, const dec_token_t *token, uint64_t *value);
/* Returns the write in a WRITE token of gfx10 or later. */
dec_write_t dec_packed_write(const dec_packed_t *token);
/* Returns whether a token of gfx10 or later dispatches a kernel; then the size of its waves is
 * noted. */
bool dec_registers_launch(dec_registers_t *r, const dec_packed_t *token);
void dec_registers_free(dec_registers_t *r);
dec_status_t dec_registers_copy(dec_registers_t *to, const dec_registers_t *from);

/* Determines pipe and engine of a register token of gfx9. */
void dec_token_pipe(const dec_token_t *token, unsigned *engine, unsigned *pipe);

/* Converts the address to an offset in the code object that contains it: a loaded one, or else one
 * that has been unloaded. */
dec_pc_t dec_place(const dec_registers_t *r, uint64_t address);
rocprofiler_thread_trace_decoder_dispatch_t dec_dispatch(const dec_registers_t *r, unsigned engine,
                                                         unsigned pipe);

/* ---- code ---- */

/* Kinds of instructions, by the tokens that they leave. ORDER: kinds that some GPUs report as
 * immediate without active lanes are adjacent. */
typedef enum {
    DEC_LINE_UNKNOWN, /* leaves no known token, so it is skipped */
    DEC_LINE_SALU,
    DEC_LINE_SMEM,
    DEC_LINE_VMEM,
    DEC_LINE_FLAT,
    DEC_LINE_LDS,
    DEC_LINE_VALU,
    DEC_LINE_BVH,
    DEC_LINE_BRANCH,
    DEC_LINE_IMMEDIATE,
    DEC_LINE_MESSAGE,
    DEC_LINE_BARRIER,
    DEC_LINE_SKIPS_FIRST = DEC_LINE_SMEM,
    DEC_LINE_SKIPS_LAST = DEC_LINE_BVH
} dec_line_kind_t;

typedef struct {
    dec_pc_t pc;
    uint64_t next, target; /* addresses in the same object; `target` of a branch */
    dec_line_kind_t kind;
    bool wait;     /* s_waitcnt and similar instructions, which are always in the trace */
    bool meets;    /* s_barrier_wait, which is not in every trace */
    bool scaled;   /* v_mfma_scale_*: its token is that of the second of its two operations */
    bool targeted; /* a branch whose `target` is in the text */
    bool known;    /* the callback has an instruction at this address */
} dec_line_t;

typedef struct {
    rocprof_trace_decoder_isa_callback_t callback;
    void *user;
    dec_line_t *lines; /* hash table by pc */
    size_t count, room;
    char *text;
    uint64_t text_room;
} dec_code_t;

/* Returns the instruction at `pc`, valid until the next call; its `known` is false if there is
 * none. Returns NULL if there is no memory. */
const dec_line_t *dec_code_at(dec_code_t *c, dec_pc_t pc);
void dec_code_free(dec_code_t *c);

/* ---- waves ---- */

typedef rocprofiler_thread_trace_decoder_inst_t dec_inst_t;
typedef rocprofiler_thread_trace_decoder_wave_state_t dec_state_t;

/* A known point of the wave's path: instruction `index` is at `address`; 0: not known yet. */
typedef struct {
    size_t index;
    uint64_t address;
} dec_entry_t;

/* Two more categories of instructions: OPEN was issued and its kind is not known yet; GONE turned
 * out not to be an instruction. */
enum { DEC_OPEN = 255, DEC_GONE = 254 };

typedef enum { DEC_RUNS, DEC_TRAP_ASKED, DEC_TRAP_READY, DEC_TRAP_RETURNS } dec_trap_t;

typedef struct {
    uint8_t simd, slot, contexts, dispatcher, group;
    bool over; /* its end was seen */
    bool lost; /* a part of it is missing, because there was no memory */
    bool was_trapped;
    dec_trap_t trap;
    int64_t begin, end;
    dec_inst_t *insts;
    size_t inst_count, inst_room;
    size_t *issued; /* indices, from issued_first on, of instructions whose kind is not known yet */
    size_t issued_first, issued_count, issued_room;
    int64_t *stalls; /* begins of stalls that belong to no instruction yet */
    size_t stall_first, stall_count, stall_room;
    dec_entry_t *entries;
    size_t entry_count, entry_room;
    size_t entry_wants; /* first entry without an address */
    dec_state_t *states;
    size_t state_count, state_room;
    int state;
    int64_t state_begin;
    bool at_barrier;    /* its last instruction waits until the next token */
    size_t last_of[32]; /* index + 1 of the last instruction of each kind, which a replay
                         * lengthens */
} dec_wave_t;

dec_wave_t *dec_wave_begin(uint8_t simd, uint8_t slot, int64_t time, uint64_t entry);
void dec_wave_free(dec_wave_t *w);
/* Adds an instruction, which becomes the last one. Returns false if there is no memory; w->lost is
 * set then, too. */
bool dec_wave_add(dec_wave_t *w, int64_t time, unsigned category, int64_t cycles, int64_t stall);
/* From instruction `index` on the wave is at `address`; 0: a later token has the address. */
void dec_wave_enter(dec_wave_t *w, size_t index, uint64_t address);
/* Adds a period in a state, or lengthens the last one. */
void dec_wave_spend(dec_wave_t *w, int state, int64_t cycles);
/* Takes the address to which the wave has gone, from a token. */
void dec_wave_pc(dec_wave_t *w, uint64_t address);
/* Limits cycles to the size of the members of records. */
int32_t dec_cycles(int64_t cycles);
uint32_t dec_stall(int64_t cycles);

/* For gfx9: */
void dec_wave_issue(dec_wave_t *w, unsigned code, int64_t time);
/* *phase, one for the compute unit, counts instructions that were issued while another instruction
 * of the wave was running. */
void dec_wave_inst(dec_wave_t *w, unsigned kind, int64_t time, unsigned *phase);
/* The context of the wave is being saved, or has been restored. */
void dec_wave_context(dec_wave_t *w, int64_t time);
/* Ends the wave. As in AMD's releases (0.1), the time that a wave waits for its s_endpgm belongs to
 * that instruction, and the wave is idle in the rest. */
void dec_wave_end(dec_wave_t *w, int64_t time);

/* For gfx10 and later: */
void dec_wave_ready(dec_wave_t *w, int64_t time);
/* Adds an instruction of the kind, which lasts `cycles` if it is issued at once. */
void dec_wave_run(dec_wave_t *w, const dec_kind_t *kind, int64_t cycles, bool barrier_long,
                  int64_t time);
void dec_wave_immediate(dec_wave_t *w, int64_t time);
void dec_wave_go(dec_wave_t *w, int64_t time, uint64_t address);
void dec_wave_save(dec_wave_t *w, int64_t time);
void dec_wave_restore(dec_wave_t *w, int64_t time);
void dec_wave_finish(dec_wave_t *w, int64_t time);

/* Assigns addresses to the wave's instructions. Returns how many have none; SIZE_MAX if there is no
 * memory. */
size_t dec_stitch(dec_wave_t *w, dec_code_t *code, const dec_registers_t *registers,
                  bool barriers_missing);

/* ---- a parse ---- */

typedef struct {
    rocprof_trace_decoder_trace_callback_t callback;
    void *user;
    dec_code_t *code;
    bool second; /* records of version 2 of the interface */
} dec_parse_t;

dec_status_t dec_parse(const dec_parse_t *parse, const uint8_t *data, uint64_t size);

/* Records of one type that are sent together. */
typedef struct {
    void *items;
    size_t count, room, size; /* `size`: of an item, in bytes */
    rocprofiler_thread_trace_decoder_record_type_t type;
} dec_list_t;

/* A running wave, on any unit. */
typedef struct {
    bool there, saved; /* `saved`: its context was saved, and may be restored in this slot */
    uint64_t entry;
} dec_running_t;

/* The state of a parse. */
typedef struct dec_parse_run {
    const dec_parse_t *to;
    const uint8_t *data;
    uint64_t size;
    dec_status_t status;
    dec_header_t header;
    dec_registers_t registers;
    dec_wave_t *wave[DEC_SIMDS][DEC_SLOTS_MAX]; /* waves of the traced unit */
    dec_running_t running[DEC_UNITS][DEC_SIMDS][DEC_SLOTS_MAX];
    dec_list_t early; /* starts of waves that were running when the trace began */
    dec_list_t occupancy, counters, shader_data, clocks, others;
    bool lost, unfinished, unplaced;
    uint64_t unknown; /* number of tokens, and of kinds of instructions, whose meaning is not
                       * known */
} dec_run_t;

/* Place and time of a token. */
typedef struct {
    int64_t time;
    uint64_t at; /* offset of its first byte */
    uint8_t engine, pipe;
    uint16_t flags; /* rocprofiler_thread_trace_decoder_event_flags_t */
} dec_moment_t;

/* The beginning or end of a wave. */
typedef struct {
    int64_t time;
    uint8_t unit, simd, slot;
    uint8_t engine, pipe, group; /* only of a beginning */
    bool grouped;                /* its workgroup is known */
} dec_place_t;

void dec_run_parse_gfx9(dec_run_t *r);
void dec_run_parse_gfx10(dec_run_t *r);

void dec_run_send(dec_run_t *r, rocprofiler_thread_trace_decoder_record_type_t type, void *records,
                  uint64_t count);
void dec_run_add(dec_run_t *r, dec_list_t *l, const void *item);
void dec_run_event(dec_run_t *r, const dec_moment_t *m,
                   rocprofiler_thread_trace_decoder_event_type_t type, uint64_t payload);
/* Passes the wave to the callback and frees it. */
void dec_run_wave(dec_run_t *r, dec_wave_t *w);
void dec_run_occupancy(dec_run_t *r, const dec_place_t *p, uint64_t entry, bool start);
/* Adds the start of a wave whose start is not in the trace: it was running when the trace began. */
void dec_run_early(dec_run_t *r, const dec_place_t *p);
/* To be called before each token: sends records when there are many. */
void dec_run_breathe(dec_run_t *r);
void dec_run_change(dec_run_t *r, const dec_moment_t *m, dec_change_t change, uint64_t value);

/* Reads all data from the callback; the caller frees *data. */
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
/* Returns the stream of a part of a trace of gfx9, without times. */
dec_stream_t dec_chunk_stream(const dec_chunk_t *chunk, const uint8_t *data, uint64_t size);
dec_status_t dec_cut(const dec_chunk_t *chunk, const uint8_t *data, uint64_t begin, uint64_t end,
                     uint8_t *out, uint64_t *size);

#endif
