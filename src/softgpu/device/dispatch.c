/* dispatch.c - makes a run from an AQL dispatch packet and its kernel descriptor, and ends it.
 *
 * Only this file depends on the bits of kernel descriptors. The fences and the barrier bit in the
 * header of a packet are read in aql.c, count.c and check.c as well. Limits are checked here,
 * before anything runs, and the message of a violation has value and limit. */
#include "softgpu/device/internal.h"

#include <hsa/amd_hsa_queue.h>
#include <string.h>

/* Fields that have the same offsets in a kernel descriptor and in the older amd_kernel_code_t. */
typedef struct {
    uint32_t word[4]; /* sizes (LDS, scratch, arguments), or version and machine of an
                         amd_kernel_code_t */
    int64_t entry_offset;
    uint8_t reserved1[20];
    uint32_t rsrc3, rsrc1, rsrc2;
    uint16_t properties;
    uint16_t preload;
    uint32_t reserved2;
} descriptor_t;
_Static_assert(sizeof(descriptor_t) == 64, "a kernel descriptor has 64 bytes");

/* kernel_code_properties */
enum {
    PROP_PRIVATE_BUFFER = 1 << 0,
    PROP_DISPATCH_PTR = 1 << 1,
    PROP_QUEUE_PTR = 1 << 2,
    PROP_KERNARG_PTR = 1 << 3,
    PROP_DISPATCH_ID = 1 << 4,
    PROP_FLAT_SCRATCH = 1 << 5,
    PROP_PRIVATE_SIZE = 1 << 6,
    PROP_GROUPS_X = 1 << 7, /* the next two bits: y, z. Only in amd_kernel_code_t */
    PROP_WAVE32 = 1 << 10
};

enum {
    PRELOAD_PROLOGUE = 256, /* bytes of code that load the arguments; skipped when preloaded */
    GROUPS_BITS = 56, /* limit of workgroups, so that counts of their work-items fit in 64 bits */
    TMPRING_WAVES = 0xfff
};

/* Whether this is an amd_kernel_code_t and no kernel descriptor: version 1, machine kind AMDGPU,
 * major version at least 6. In a kernel descriptor these words are sizes, which never have such
 * values. */
static bool is_old_code(const descriptor_t *k)
{
    return k->word[0] == 1 && (k->word[2] & 0xffff) == 1 && k->word[2] >> 16 >= 6;
}

static void push(sg_run_t *run, uint32_t *n, const void *dwords, uint32_t count)
{
    if (count > SG_USER_SGPRS - *n) count = SG_USER_SGPRS - *n;
    memcpy(run->user + *n, dwords, 4 * count);
    *n += count;
}

/* Pushes the four words of the descriptor of scratch. On GPUs that have waves of 32 and of 64
 * lanes, the runtime has no record of how many the kernel's waves have, so the command processor
 * sets the descriptor's field for the number of lanes whose dwords are adjacent. */
static void push_scratch_buffer(sg_run_t *run, uint32_t *n, const amd_queue_t *aq)
{
    enum { STRIDE_SHIFT = 21, STRIDE_MASK = 3, STRIDE_32 = 2, STRIDE_64 = 3 };
    uint32_t words[4];
    memcpy(words, aq->scratch_resource_descriptor, sizeof words);
    if (run->isa.arch->lanes == 32) {
        words[3] &= ~((uint32_t)STRIDE_MASK << STRIDE_SHIFT);
        words[3] |= (run->isa.narrow ? STRIDE_32 : STRIDE_64) << STRIDE_SHIFT;
    }
    push(run, n, words, 4);
}

static void preload_arguments(sg_run_t *run, const descriptor_t *k,
                              const hsa_kernel_dispatch_packet_t *p, uint32_t *n)
{
    uint32_t length = k->preload & 0x7f, offset = k->preload >> 7;
    if (!length || is_old_code(k)) return;
    const uint8_t *args = sg_memory_host(run->device->memory, (uint64_t)p->kernarg_address,
                                         4u * (offset + length), 0);
    if (args) push(run, n, args + 4u * offset, length);
    run->isa.entry_pc += PRELOAD_PROLOGUE;
}

static void set_user_registers(sg_run_t *run, const descriptor_t *k,
                               const hsa_kernel_dispatch_packet_t *p, const amd_queue_t *aq,
                               uint64_t packet_va, uint64_t packet_id)
{
    const uint64_t queue_va = sg_aql_descriptor(run->queue);
    const uint64_t kernarg = (uint64_t)p->kernarg_address;
    const uint32_t props = k->properties;
    uint32_t n = 0;

    memset(run->user, 0, sizeof run->user);
    run->packet_va = packet_va;
    if (props & PROP_PRIVATE_BUFFER) push_scratch_buffer(run, &n, aq);
    if (props & PROP_DISPATCH_PTR) push(run, &n, &packet_va, 2);
    if (props & PROP_QUEUE_PTR) push(run, &n, &queue_va, 2);
    if (props & PROP_KERNARG_PTR) push(run, &n, &kernarg, 2);
    if (props & PROP_DISPATCH_ID) push(run, &n, &packet_id, 2);
    if (props & PROP_FLAT_SCRATCH) push(run, &n, &aq->scratch_backing_memory_location, 2);
    if (props & PROP_PRIVATE_SIZE) push(run, &n, &p->private_segment_size, 1);
    for (uint32_t axis = 0; axis < 3; axis++)
        if (props & PROP_GROUPS_X << axis) push(run, &n, &run->groups[axis], 1);
    preload_arguments(run, k, p, &n);
    run->n_user = run->rsrc2 >> 1 & 31;
    if (run->n_user > SG_USER_SGPRS) run->n_user = SG_USER_SGPRS;
}

uint32_t sg_run_rows(const sg_run_t *run)
{
    return run->isa.n_vgpr * isa_dispatch_lanes(&run->isa) / ISA_LANES;
}

static bool set_shape(sg_run_t *run, const hsa_kernel_dispatch_packet_t *p, uint64_t id)
{
    const uint32_t size[3] = {p->workgroup_size_x, p->workgroup_size_y, p->workgroup_size_z};
    const uint32_t grid[3] = {p->grid_size_x, p->grid_size_y, p->grid_size_z};
    uint64_t items = 1;
    run->total = 1;
    for (uint32_t k = 0; k < 3; k++) {
        if (!size[k] || !grid[k]) {
            sg_queue_fail(run->queue, SG_QUEUE_ERROR_PACKET, SG_CODE_DIMENSIONS,
                          "dispatch %llu: %s size of axis %c is 0", (unsigned long long)id,
                          size[k] ? "grid" : "workgroup", 'x' + (int)k);
            return false;
        }
        run->size[k] = size[k];
        run->grid[k] = grid[k];
        run->groups[k] = (uint32_t)(((uint64_t)grid[k] + size[k] - 1) / size[k]);
        items *= size[k];
        if (__builtin_mul_overflow(run->total, run->groups[k], &run->total) ||
            run->total >> GROUPS_BITS) {
            sg_queue_fail(run->queue, SG_QUEUE_ERROR_PACKET, SG_CODE_DIMENSIONS,
                          "dispatch %llu: grid of %ux%ux%u in workgroups of %ux%ux%u, limit 2^%d "
                          "workgroups",
                          (unsigned long long)id, grid[0], grid[1], grid[2], size[0], size[1],
                          size[2], GROUPS_BITS);
            return false;
        }
    }
    if (items > SG_GROUP_ITEMS) {
        sg_queue_fail(run->queue, SG_QUEUE_ERROR_RESOURCES, SG_CODE_GROUP_SIZE,
                      "dispatch %llu: workgroup of %llu work-items, limit %d",
                      (unsigned long long)id, (unsigned long long)items, SG_GROUP_ITEMS);
        return false;
    }
    run->waves = (uint32_t)isa_wave_count(items, isa_dispatch_lanes(&run->isa));
    return true;
}

static bool within_limits(sg_run_t *run, const hsa_kernel_dispatch_packet_t *p, uint64_t id)
{
    const sg_profile_t *profile = &run->device->profile;
    const isa_arch_t *arch = run->isa.arch;
    uint32_t lds_limit = profile->lds_kb << 10;
    if (p->group_segment_size > lds_limit) {
        sg_queue_fail(run->queue, SG_QUEUE_ERROR_RESOURCES, SG_CODE_GROUP_MEMORY,
                      "dispatch %llu: %u bytes of LDS, limit %u", (unsigned long long)id,
                      p->group_segment_size, lds_limit);
        return false;
    }
    run->lds_bytes = (p->group_segment_size + arch->lds_granule - 1) / arch->lds_granule *
                     arch->lds_granule; /* the granule need not be a power of two */

    uint32_t per_simd = arch->simd_vgprs / sg_run_rows(run);
    if (per_simd > profile->waves_per_simd) per_simd = profile->waves_per_simd;
    const uint32_t fit = per_simd * profile->simds_per_cu * isa_arch_unit_cus(arch);
    if (run->waves > fit) {
        sg_queue_fail(run->queue, SG_QUEUE_ERROR_RESOURCES, SG_CODE_REGISTERS,
                      "dispatch %llu: %u waves of %u registers in a workgroup, %u fit on a %s",
                      (unsigned long long)id, run->waves, run->isa.n_vgpr, fit,
                      isa_arch_unit_cus(arch) > 1 ? "workgroup processor" : "compute unit");
        return false;
    }
    return true;
}

/* Whether the queue has enough scratch; as on hardware, the packet's private segment size
 * decides. */
static bool set_scratch(sg_run_t *run, const hsa_kernel_dispatch_packet_t *p, const amd_queue_t *aq)
{
    const isa_arch_t *arch = run->isa.arch;
    const uint64_t lanes = isa_dispatch_lanes(&run->isa), unit = arch->tmpring.unit;
    const uint64_t wanted = ((uint64_t)p->private_segment_size * lanes + unit - 1) / unit * unit;
    uint32_t ring = aq->compute_tmpring_size;
    uint32_t waves = (ring & TMPRING_WAVES) *
                     (arch->tmpring.of_engine ? run->device->profile.shader_engines : 1);
    uint64_t wave_bytes = isa_bits_get(arch->tmpring.wave, ring) * unit;

    run->scratch_wave_bytes = 0;
    run->scratch_base = aq->scratch_backing_memory_location;
    run->scratch_once = false;
    if (!wanted) return true;
    if (wave_bytes < wanted || waves < run->waves) return false;
    run->scratch_wave_bytes = wave_bytes;
    run->scratch_once = aq->queue_properties & AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE;
    run->queue->scratch_slots = waves * run->device->profile.num_xcc; /* `waves` is per XCC */
    return true;
}

static void on_message(isa_dispatch_t *isa, isa_wave_t *w, uint32_t simm16)
{
    enum { MSG_INTERRUPT = 1, CONTEXT_MASK = 0xffffff };
    if ((simm16 & 15) == MSG_INTERRUPT)
        sg_signal_interrupt(((sg_run_t *)isa)->device, w->m0 & CONTEXT_MASK);
}

static void set_code(sg_run_t *run, const descriptor_t *k, uint64_t object)
{
    isa_dispatch_t *isa = &run->isa;
    const isa_arch_t *arch = isa->arch = run->device->arch;
    isa->narrow = arch->lanes == 32 && k->properties & PROP_WAVE32;
    run->core = isa->narrow ? run->device->narrow : run->device->core;
    isa->memory = run->device->memory;
    isa->code = run->device->code;
    isa->gws = &run->device->gws;
    isa->entry_pc = object + (uint64_t)k->entry_offset;
    isa->n_vgpr =
        ((k->rsrc1 & 63) + 1) * arch->vgpr_granule * arch->lanes / isa_dispatch_lanes(isa);
    isa->acc_offset = arch->acc_granule ? ((k->rsrc3 & 63) + 1) * arch->acc_granule : ISA_VGPRS;
    isa->mode = (k->rsrc1 >> 12 & 0xff)         /* rounding and denormals */
                | (k->rsrc1 >> 21 & 1) << 8     /* DX10_CLAMP */
                | (k->rsrc1 >> 23 & 1) << 9     /* IEEE */
                | (k->rsrc2 >> 24 & 0x7f) << 12 /* exceptions */
                | (k->rsrc1 >> 26 & 1) << 23;   /* FP16_OVFL */
    isa->mode = (isa->mode & ~arch->mode_absent) | (arch->mode_absent & ISA_MODE_DX10_CLAMP);
    isa->shared_base = ISA_SHARED_BASE;
    isa->private_base = ISA_PRIVATE_BASE;
    isa->engine_clock_mhz = run->device->profile.engine_clock_mhz;
    isa->doorbell_id = run->queue->params.doorbell_slot;
    isa->on_message = on_message;
    isa->user = run;
    run->rsrc1 = k->rsrc1;
    run->rsrc2 = k->rsrc2;
    run->rsrc3 = k->rsrc3;
    run->kernarg_bytes = is_old_code(k) ? 0 : k->word[2];
    run->system =
        k->rsrc2 & (arch->launch.scratch_offset ? SG_SYSTEM | SG_SYSTEM_SCRATCH_OFFSET : SG_SYSTEM);
    if (arch->launch.ids_in_ttmp) run->system = 0;
    static const uint8_t axes[] = {1, 2, 3, 3};
    run->id_axes = axes[k->rsrc2 >> 11 & 3];
    isa->last_id_row = arch->launch.item[run->id_axes - 1].vgpr;
}

sg_setup_t sg_run_setup(sg_run_t *run, sg_queue_t *q, uint64_t id, const void *packet)
{
    sg_device_t *d = q->device;
    hsa_kernel_dispatch_packet_t p;
    descriptor_t k;
    memcpy(&p, packet, sizeof p);
    run->device = d;
    run->queue = q;

    const void *object = sg_memory_host(d->memory, p.kernel_object, sizeof k, 0);
    const amd_queue_t *aq = sg_memory_host(d->memory, sg_aql_descriptor(q), sizeof *aq, 0);
    if (!object || !aq) {
        sg_queue_fail(q, SG_QUEUE_ERROR_PACKET, SG_CODE_KERNEL_OBJECT,
                      "dispatch %llu: kernel object 0x%llx is not mapped", (unsigned long long)id,
                      (unsigned long long)p.kernel_object);
        return SG_SETUP_ERROR;
    }
    memcpy(&k, object, sizeof k);
    set_code(run, &k, p.kernel_object);
    if (!set_shape(run, &p, id) || !within_limits(run, &p, id)) return SG_SETUP_ERROR;
    if (!set_scratch(run, &p, aq)) return SG_SETUP_SCRATCH;
    run->isa.scratch_wave_bytes = (uint32_t)run->scratch_wave_bytes;

    uint64_t ring_va = atomic_load_explicit(&q->ring_va, memory_order_relaxed);
    uint64_t slots = atomic_load_explicit(&q->ring_bytes, memory_order_relaxed) / sizeof p;
    run->packet = (uint32_t)(id % slots);
    set_user_registers(run, &k, &p, aq, ring_va + run->packet * sizeof p, id);
    for (uint32_t i = 0; i < run->waves; i++)
        sg_write_ids(run, &run->ids[0][i], ISA_GROUP_WAVES, run->size,
                     i * isa_dispatch_lanes(&run->isa));

    run->signal_va = p.completion_signal.handle;
    run->profiled = aq->queue_properties & AMD_QUEUE_PROPERTIES_ENABLE_PROFILING;
    for (unsigned i = 0; i < ISA_PROVEN; i++)
        atomic_store_explicit(&run->isa.proven[i], NULL, memory_order_relaxed);
    run->n_spare = 0;
    run->resident = 0;
    run->link_active = NULL;
    atomic_store_explicit(&run->next, 0, memory_order_relaxed);
    atomic_store_explicit(&run->left, run->total, memory_order_relaxed);
    atomic_store_explicit(&run->cancelled, 0, memory_order_relaxed);
    atomic_store_explicit(&run->alone, SG_ALONE_NOT, memory_order_relaxed);
    atomic_store_explicit(&run->done, 0, memory_order_relaxed);
    sg_instrument_begin(run, &p, id);
    run->start_ts = sg_device_clock();
    return SG_SETUP_OK;
}

void sg_run_failed(sg_run_t *run, isa_wave_t *w)
{
    sg_queue_t *q = run->queue;
    unsigned long long at = (unsigned long long)w->fault_addr;
    if (w->stop == ISA_STOP_MEMORY)
        sg_queue_fault(q, w->fault_addr, w->fault_flags);
    else if (w->stop == ISA_STOP_TRAP)
        sg_queue_fail(q, SG_QUEUE_ERROR_TRAP, SG_CODE_TRAP,
                      "s_trap %u at 0x%llx: the kernel aborts", w->trap_id, at);
    else if (w->stop == ISA_STOP_UNSUPPORTED)
        sg_queue_fail(q, SG_QUEUE_ERROR_UNSUPPORTED, SG_CODE_ILLEGAL, "%s", w->message);
    else
        sg_queue_fail(q, SG_QUEUE_ERROR_ILLEGAL, SG_CODE_ILLEGAL, "%s", w->message);
    sg_run_cancel(run);
}

void sg_run_complete(sg_run_t *run)
{
    sg_queue_t *q = run->queue;
    uint64_t end_ts = sg_device_clock();
    bool good = !atomic_load_explicit(&run->cancelled, memory_order_relaxed);
    if (run->instrumented) sg_instrument_end(run, &end_ts);
    if (good && run->signal_va &&
        !sg_signal_complete(q, run, run->signal_va, run->profiled, run->start_ts, end_ts))
        sg_queue_fail(q, SG_QUEUE_ERROR_PACKET, SG_CODE_PACKET,
                      "completion signal 0x%llx of a dispatch is not mapped, or not aligned",
                      (unsigned long long)run->signal_va);
    chk_order_end(q->order, run->check.serial);
    atomic_store_explicit(&run->done, 1, memory_order_release);
    sg_queue_notify(q);
    sg_queue_unref(q);
}
