/* hazard_use.h - the properties of an instruction that matter for hazards: the registers that it
 * uses, the counter that counts it, and the rows of its GPU's table of wait states (hazard_rules.h)
 * that apply to it.
 *
 * They are derived once for each instruction of a dispatch and cached; waves (hazard_wave.h) read
 * them. */
#ifndef SOFTGPU_CHECK_HAZARD_USE_H
#define SOFTGPU_CHECK_HAZARD_USE_H

#include "softgpu/check/hazard_rules.h"
#include "isa/waits.h"
#include "softgpu/exec/wave.h"

#include <stddef.h>

/* One numbering for all registers: first the rows of the vector file, then the scalars by operand
 * code. */
enum { CHK_REG_SCALAR = ISA_VGPR_ROWS, CHK_REGS = CHK_REG_SCALAR + ISA_CODE_ZERO };

/* The roles that a register can have in an instruction. */
enum {
    CHK_ROLE_SCALAR = 1 << 0,
    CHK_ROLE_VECTOR = 1 << 1,
    CHK_ROLE_AB = 1 << 2,
    CHK_ROLE_C = 1 << 3,
    CHK_ROLE_LANE = 1 << 4,
    CHK_ROLE_WRITTEN = 1 << 5,
    CHK_ROLE_MASK = 1 << 6 /* a scalar that has a bit for each lane: a carry, a condition */
};

/* The part of its data register that a load or store uses. Of all other instructions, in tuples,
 * and on GPUs without chk_hazard_rules_t.halves it is always the whole register. */
enum { CHK_WHOLE = 0, CHK_LOW = 1, CHK_HIGH = 2 };

typedef struct {
    uint32_t first : 10, n : 6, roles : 8;
    uint32_t half : 2; /* CHK_WHOLE, CHK_LOW or CHK_HIGH */
    /* The lane of its quad from which each lane takes the value, plus 1; 0: its own lane. */
    uint32_t quad : 3;
} chk_regs_t;

/* A digest of a set of registers: bit r % 64 stands for register r. Sets whose digests have no bit
 * in common have no register in common. */
static inline uint64_t chk_regs_digest(chk_regs_t r)
{
    const uint64_t mask = (1ull << r.n) - 1; /* a tuple has at most 32 registers */
    const unsigned at = r.first % 64u;
    return mask << at | mask >> (-at % 64u);
}

/* A flow is a group of operations that one counter counts. Vector memory (VM) and LDS are counted
 * as returned in the order of their issue, and so are SAMPLES of images and tests of RAYS, on GPUs
 * that have counters for these (isa_arch_t.samples_apart). All other flows return in any order:
 * scalar memory and GDS (ANY), FLAT with lanes in LDS (FLAT) and without (FLAT_MEMORY). STORES are
 * operations that return no data to registers, on GPUs that have a counter for these
 * (isa_arch_t.stores_apart). Where FLAT returns in order (chk_hazard_rules_t.flat_in_order), it is
 * of VM and LDS, and of FLAT_MIXED if some lanes are in LDS and others are not: its registers wait
 * until VM and LDS have both returned. EXP counts each operation of GDS and GWS until the operation
 * has read its data, and direct loads from LDS (lds_direct_load) until they have returned, in the
 * order of their issue. ANY also counts what is answered in SGPRs (ISA_IS_ANSWERED). */
typedef enum {
    CHK_FLOW_VM,
    CHK_FLOW_LDS,
    CHK_FLOW_ANY,
    CHK_FLOW_FLAT,
    CHK_FLOW_FLAT_MEMORY,
    CHK_FLOW_FLAT_MIXED,
    CHK_FLOW_STORES,
    CHK_FLOW_SAMPLES,
    CHK_FLOW_RAYS,
    CHK_FLOW_EXP
} chk_flow_t;
enum { CHK_FLOWS = CHK_FLOW_EXP + 1, CHK_FLOW_NONE = CHK_FLOWS };

enum {
    CHK_USE_READS_SCC = 1 << 0,
    CHK_USE_WRITES_SCC = 1 << 1,
    CHK_USE_WAITCNT = 1 << 2,
    CHK_USE_LOCKS =
        1 << 3, /* locks its data registers until expcnt shows that they have been read */
    CHK_USE_VECTOR = 1 << 4,  /* has no effect unless some lane is active */
    CHK_USE_INDEXED = 1 << 5, /* VALU: in the indexing mode it uses other VGPRs than it names */
    CHK_USE_LDS_WRITE = 1 << 6,
    CHK_USE_LDS_READ = 1 << 7,
    CHK_USE_LDS_FILL = 1 << 8, /* a transfer from memory to LDS */
    CHK_USE_WALKS = 1 << 9, /* second of a pair whose first leaves no marks on registers: the wave's
                               last instructions are searched */
    /* It is the first instruction of a pair: of any row; of a row of CHK_FIRST_MARKS; of a row of
       CHK_FIRST_RARE. */
    CHK_USE_FIRST = 1 << 10,
    CHK_USE_MARKS = 1 << 11,
    CHK_USE_RARE = 1 << 12,
    CHK_USE_STORES = 1 << 13,     /* changes memory or LDS, for the active lanes */
    CHK_USE_ALL_LANES = 1 << 14,  /* uses inactive lanes, too: matrix, v_readlane and its like */
    CHK_USE_ENDS_TRANS = 1 << 15, /* behind it the results of transcendental operations are there */
    CHK_USE_COPIES = 1 << 16,     /* concerns the vector ALU's copies of SGPRs (hazard_copies.h) */
    CHK_USE_COUNTED = 1 << 17,    /* a counter counts it: it has a flow */
    CHK_USE_WAITS_FIRST = 1 << 18,  /* waits before it reads its registers: v_interp_* */
    CHK_USE_WRITES_QUADS = 1 << 19, /* writes all lanes of each quad of which EXEC includes a lane
                                     */
    /* It samples an image, or tests rays: kinds of vector memory beside loads. */
    CHK_USE_SAMPLES = 1 << 20,
    CHK_USE_RAYS = 1 << 21
};

/* Whose writes to SGPRs are committed behind an instruction, on GPUs whose vector ALU keeps copies
 * of these: of SALU, of VALU to VCC, of VALU to other registers. */
enum { CHK_COMMITS_SALU = 1 << 0, CHK_COMMITS_VCC = 1 << 1, CHK_COMMITS_VALU = 1 << 2 };

enum { CHK_USE_REGS = 8 };

typedef struct {
    /* Every instruction of a wave reads these members: they fill one cache line of the host. */
    _Alignas(64) const isa_inst_t *inst; /* the cached instruction, of this dispatch: */
    uint64_t dispatch;
    uint64_t touches; /* digest of all of its registers */
    uint32_t flags;
    uint8_t n_reads, n; /* registers that are read come first; n counts all. The last `changed` of
                           those that are read are written, too */
    uint8_t states;     /* wait states that the instruction itself takes */
    uint8_t flow;
    chk_regs_t regs[CHK_USE_REGS];

    /* A bit for each row of the table of hazards: the rows whose first instruction this instruction
     * can be, and those whose second instruction it can be. */
    uint64_t as_first, as_second;
    uint64_t behind_f64; /* of as_second, the rows whose first instruction is a matrix instruction
                            of f64 */
    const chk_hazard_rules_t *rules;
    uint64_t pc;
    uint32_t first; /* CHK_FIRST_* */
    uint32_t most;  /* how many operations of its flow can be outstanding */
    uint16_t op;
    uint8_t held; /* index in regs of a matrix instruction's C or a wide store's data; CHK_USE_REGS:
                     none */
    uint8_t hwreg;
    uint8_t near, far; /* how many wait states its rows reach back: `far` is for all rows, `near`
                          for those of CHK_USE_WALKS */
    uint8_t commits;   /* CHK_COMMITS_* */
    isa_wait_limits_t waits; /* of CHK_USE_WAITCNT and CHK_USE_WAITS_FIRST */
    uint8_t changed;         /* how many entries of regs, before regs[n_reads] */
    bool left_out; /* there were more registers than CHK_USE_REGS: as the tests assert, only in an
                      image's address whose registers are scattered */
} chk_use_t;
_Static_assert(offsetof(chk_use_t, as_first) == 64 && sizeof(chk_use_t) == 128, "two lines");

/* The kind of an operation of vector memory: only operations of a kind write registers in order. */
static inline uint8_t chk_use_kind(const chk_use_t *u)
{
    return (uint8_t)((u->flags & (CHK_USE_SAMPLES | CHK_USE_RAYS)) / CHK_USE_SAMPLES);
}

/* How many operations of a flow can be outstanding: the hardware delays another one until the
 * oldest has returned. */
uint32_t chk_most_outstanding(unsigned flow, const isa_arch_t *arch);
void chk_use_describe(chk_use_t *u, const isa_wave_t *w, const isa_inst_t *i);

#endif
