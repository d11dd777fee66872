/* registers.c - interprets register writes in a trace: code objects, clocks, dispatches.
 *
 * The profiler writes markers into user data registers, the command processor writes the registers
 * of dispatches. It is apart because this state outlives waves, and the parts into which a trace is
 * cut. */
#include "trace_decoder/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { USERDATA_2 = 0xc342, USERDATA_3 = 0xc343 };
enum { MARK_ROCM = 0x434f5200, MARK_VERSION = 524801 };
enum { OP_CODE_OBJECT = 4, OP_CLOCK = 5, OP_AGENT = 6, OP_CLOCK_LOW = 7 };
enum { TAIL, SIZE_LOW, ADDRESS_LOW, ADDRESS_HIGH, SIZE_HIGH, ID_LOW, ID_HIGH };
enum { AGENT_CLOCK_KHZ, AGENT_COUNTER_INTERVAL };

/* Compute registers, as offsets from register 0x2e00. */
enum {
    INITIATOR = 0x00,
    THREADS_X = 0x07,
    THREADS_Z = 0x09,
    PGM_LOW = 0x0c,
    PGM_HIGH = 0x0d,
    PACKET_LOW = 0x0e,
    PACKET_HIGH = 0x0f,
    RSRC1 = 0x12,
    RSRC2 = 0x13,
    EVENTS = 0x7f
};
enum { EVENT_PARTIAL_FLUSH = 7 };

void dec_token_pipe(const dec_token_t *token, unsigned *engine, unsigned *pipe)
{
    *pipe = (unsigned)dec_bits(token->bits, 6, 5);
    *engine =
        (unsigned)(dec_bits(token->bits, 8, 7) + 1) & 1; /* the first engine is encoded as 1 */
}

static void set_low(uint64_t *value, uint32_t low)
{
    *value = (*value & ~UINT64_C(0xffffffff)) | low;
}

static void set_high(uint64_t *value, uint32_t high)
{
    *value = (*value & 0xffffffff) | (uint64_t)high << 32;
}

/* ---- markers ---- */

static dec_change_t load(dec_registers_t *r, uint64_t id)
{
    if (!BASE_GROW(r->ranges, r->range_count, &r->range_room)) return DEC_LOST_MEMORY;
    r->ranges[r->range_count++] = (dec_range_t){r->mark_address, r->mark_size, id, true};
    return DEC_LOADED;
}

static dec_change_t unload(dec_registers_t *r, uint64_t id)
{
    for (size_t i = r->range_count; i-- > 0;)
        if (r->ranges[i].id == id && r->ranges[i].loaded) {
            r->ranges[i].loaded = false;
            break;
        }
    return DEC_UNLOADED;
}

static dec_change_t take_field(dec_registers_t *r, uint32_t word, uint64_t *value)
{
    enum { UNLOAD = 1, ID_SHIFT = 2 };
    dec_change_t change = DEC_NOTHING;
    switch (r->field) {
    case SIZE_LOW: set_low(&r->mark_size, word); break;
    case SIZE_HIGH: set_high(&r->mark_size, word); break;
    case ADDRESS_LOW: set_low(&r->mark_address, word); break;
    case ADDRESS_HIGH: set_high(&r->mark_address, word); break;
    case ID_LOW: set_low(&r->mark_id, word); break;
    case ID_HIGH: set_high(&r->mark_id, word); break;
    case TAIL:
        *value = word >> ID_SHIFT ? word >> ID_SHIFT : r->mark_id;
        change = word & UNLOAD ? unload(r, *value) : load(r, *value);
        r->mark_address = r->mark_size = r->mark_id = 0;
        break;
    default: break;
    }
    return change;
}

static dec_change_t take_mark(dec_registers_t *r, uint32_t word, uint64_t *value)
{
    if (word == MARK_ROCM && !r->payload_next) {
        r->rocm = r->version_next = true;
        return DEC_NOTHING;
    }
    if (!r->rocm) return DEC_NOTHING;
    if (r->version_next && word == MARK_VERSION) {
        r->version_next = false;
        return DEC_NOTHING;
    }
    r->version_next = false;
    if (r->payload_next) {
        r->payload_next = false;
        return take_field(r, word, value);
    }
    const uint32_t type = word >> 8 & 15, data = word >> 12;
    if ((word & 0xff) == OP_CODE_OBJECT) {
        r->payload_next = true;
        r->field = type;
    } else if ((word & 0xff) == OP_AGENT && type == AGENT_CLOCK_KHZ) {
        r->clock_hertz = data * UINT64_C(1000);
        *value = r->clock_hertz;
        return DEC_FREQUENCY;
    } else if ((word & 0xff) == OP_AGENT && type == AGENT_COUNTER_INTERVAL) {
        r->counter_interval = data;
    }
    return DEC_NOTHING;
}

/* Takes a word of a clock marker. The first word has the number of words that follow; the last of
 * these is the clock's low half at the moment of the token. */
static dec_change_t take_clock(dec_registers_t *r, uint32_t word, uint64_t *value)
{
    enum { INSTANT, HIGH, LOW, WORDS };
    if (!r->rocm) return DEC_NOTHING;
    if (!r->clock_words) {
        const uint32_t opcode = word & 0xff, count = word >> 12;
        r->clock_known = opcode == OP_CLOCK || opcode == OP_CLOCK_LOW;
        r->clock_words = count ? count : opcode == OP_CLOCK ? WORDS : opcode == OP_CLOCK_LOW;
        if (opcode == OP_CLOCK_LOW) r->clock[LOW] = r->clock[INSTANT];
        return DEC_NOTHING;
    }
    r->clock_words--;
    if (!r->clock_known) return DEC_NOTHING;
    if (r->clock_words < WORDS) r->clock[r->clock_words] = word;
    if (r->clock_words) return DEC_NOTHING;
    if (r->clock[INSTANT] < r->clock[LOW]) r->clock[HIGH]++; /* it has wrapped between the two */
    *value = r->clock[INSTANT] | (uint64_t)r->clock[HIGH] << 32;
    return DEC_REALTIME;
}

static void drop(dec_registers_t *r)
{
    r->payload_next = false;
    r->clock_words = 0;
}

/* ---- dispatches ---- */

static dec_change_t take_compute(dec_registers_t *r, const dec_write_t *write)
{
    dec_pipe_t *p = &r->pipe[write->engine][write->pipe];
    const unsigned number = write->number;
    const uint32_t word = write->word;
    if (number >= THREADS_X && number <= THREADS_Z)
        /* the upper half is the size of the last, partial group */
        p->threads[number - THREADS_X] = word & 0xffff;
    switch (number) {
    case PGM_LOW: p->entry = (p->entry & ~UINT64_C(0xffffffffff)) | (uint64_t)word << 8; break;
    case PGM_HIGH:
        p->entry = (p->entry & UINT64_C(0xffffffffff)) | (uint64_t)(word & 0xff) << 40;
        break;
    case PACKET_LOW: set_low(&p->packet, word); break;
    case PACKET_HIGH: set_high(&p->packet, word); break;
    case RSRC1: p->rsrc1 = word; break;
    case RSRC2: p->rsrc2 = word; break;
    case INITIATOR: return word & 1 ? DEC_DISPATCHED : DEC_NOTHING;
    case EVENTS: return word == EVENT_PARTIAL_FLUSH ? DEC_FLUSHED : DEC_NOTHING;
    default: break;
    }
    return DEC_NOTHING;
}

dec_change_t dec_registers_write(dec_registers_t *r, const dec_write_t *write, uint64_t *value)
{
    if (write->dropped) drop(r); /* this word alone has no meaning */
    switch (write->number) {
    case USERDATA_2: return take_mark(r, write->word, value);
    case USERDATA_3: return take_clock(r, write->word, value);
    default: return write->compute ? take_compute(r, write) : DEC_NOTHING;
    }
}

dec_change_t dec_registers_take(dec_registers_t *r, const dec_token_t *token, uint64_t *value)
{
    unsigned engine, pipe;
    if (token->type != DEC_REG && token->type != DEC_REG_CS && token->type != DEC_REG_CSPRIV)
        return DEC_NOTHING;
    dec_token_pipe(token, &engine, &pipe);
    dec_write_t write = {.engine = (uint8_t)engine, .pipe = (uint8_t)pipe};
    if (token->type == DEC_REG) {
        write.dropped = dec_bits(token->bits, 9, 9);
        write.number = (uint16_t)dec_bits(token->bits, 31, 16);
        write.word = (uint32_t)dec_bits(token->bits, 63, 32);
        if (!dec_bits(token->bits, 15, 15)) { /* a read */
            if (write.dropped) drop(r);
            return DEC_NOTHING;
        }
    } else {
        write.compute = true;
        write.number = (uint16_t)dec_bits(token->bits, 15, 9);
        write.word = (uint32_t)dec_bits(token->bits, 47, 16);
    }
    return dec_registers_write(r, &write, value);
}

dec_write_t dec_packed_write(const dec_packed_t *token)
{
    return (dec_write_t){.engine = (uint8_t)(dec_field(token, DEC_F_ENGINE) % DEC_ENGINES),
                         .pipe = (uint8_t)dec_field(token, DEC_F_PIPE),
                         .dropped = dec_field(token, DEC_F_DROPPED),
                         .compute = dec_field(token, DEC_F_COMPUTE),
                         .number = (uint16_t)dec_field(token, DEC_F_ADDRESS),
                         .word = (uint32_t)dec_field(token, DEC_F_VALUE)};
}

bool dec_registers_launch(dec_registers_t *r, const dec_packed_t *token)
{
    enum { DISPATCH = 2, INITIATES = 1, WAVES_OF_32 = 1 << 15 }; /* bits of the initiator */
    const uint64_t initiator = dec_field(token, DEC_F_VALUE);
    if (token->row->type != DEC_LAUNCH || dec_field(token, DEC_F_KIND) != DISPATCH ||
        !(initiator & INITIATES))
        return false;
    const dec_write_t at = dec_packed_write(token);
    r->pipe[at.engine][at.pipe].wave64 = !(initiator & WAVES_OF_32);
    return true;
}

void dec_registers_free(dec_registers_t *r)
{
    free(r->ranges);
    r->ranges = NULL;
    r->range_count = r->range_room = 0;
}

dec_status_t dec_registers_copy(dec_registers_t *to, const dec_registers_t *from)
{
    *to = *from;
    to->ranges = from->range_count ? malloc(from->range_count * sizeof *to->ranges) : NULL;
    to->range_room = from->range_count;
    if (from->range_count && !to->ranges) {
        to->range_count = to->range_room = 0;
        return DEC_NO_MEMORY;
    }
    if (from->range_count) memcpy(to->ranges, from->ranges, from->range_count * sizeof *to->ranges);
    return DEC_SUCCESS;
}

dec_pc_t dec_place(const dec_registers_t *r, uint64_t address)
{
    const dec_range_t *gone = NULL;
    for (size_t i = r->range_count; i-- > 0;) {
        const dec_range_t *range = &r->ranges[i];
        if (address < range->address || address - range->address >= range->size) continue;
        if (range->loaded) return (dec_pc_t){address - range->address, range->id};
        if (!gone) gone = range;
    }
    return gone ? (dec_pc_t){address - gone->address, gone->id} : (dec_pc_t){address, 0};
}

rocprofiler_thread_trace_decoder_dispatch_t dec_dispatch(const dec_registers_t *r, unsigned engine,
                                                         unsigned pipe)
{
    enum { SGPRS_ALL = 128, SCRATCH = 1 };
    const dec_format_t *f = r->format;
    const dec_pipe_t *p = &r->pipe[engine][pipe];
    return (rocprofiler_thread_trace_decoder_dispatch_t){
        .size = sizeof(rocprofiler_thread_trace_decoder_dispatch_t),
        .me_id = (uint8_t)engine,
        .pipe_id = (uint8_t)pipe,
        .user_sgprs = (uint16_t)dec_bits(p->rsrc2, 5, 1),
        .flags = p->rsrc2 & SCRATCH
                     ? ROCPROFILER_THREAD_TRACE_DECODER_DISPATCH_FLAGS_SCRATCH_ENABLED
                     : ROCPROFILER_THREAD_TRACE_DECODER_DISPATCH_FLAGS_NONE,
        .vgprs =
            (uint32_t)(dec_bits(p->rsrc1, 5, 0) + 1) * (p->wave64 ? f->vgpr_unit64 : f->vgpr_unit),
        .sgprs = f->sgpr_unit ? (uint32_t)(dec_bits(p->rsrc1, 9, 7) + 1) * f->sgpr_unit : SGPRS_ALL,
        .lds_size = (uint32_t)dec_bits(p->rsrc2, 23, 15) * f->lds_unit,
        .thread_dim_x = p->threads[0],
        .thread_dim_y = p->threads[1],
        .thread_dim_z = p->threads[2],
        .dispatch_pkt_addr = p->packet,
        .entry_point = dec_place(r, p->entry)};
}
