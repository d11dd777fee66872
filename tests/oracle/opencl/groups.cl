// groups.cl - what the items of a work-group, a sub-group and a whole launch do together: the
// group functions, local memory, asynchronous copies, atomics on local, global and generic
// memory, and where an item is. groups.hip computes the same from all inputs at once.
// What may be changed: new words at the end of a kernel's results.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

#define BITS_int(x)    as_uint(x)
#define BITS_uint(x)   (x)
#define BITS_long(x)   as_ulong(x)
#define BITS_ulong(x)  (x)
#define BITS_float(x)  as_uint(x)
#define BITS_double(x) as_ulong(x)

// Values are small integers, so that sums of floats are exact.
#define TOGETHER(T)                                                                                \
    kernel void group_##T(global const ulong *in, global ulong *out)                               \
    {                                                                                              \
        const T x = (T)((int)(in[get_global_id(0)] % 2001) - 1000);                                \
        out += 14 * get_global_id(0);                                                              \
        out[0] = BITS_##T(work_group_reduce_add(x));                                               \
        out[1] = BITS_##T(work_group_reduce_min(x));                                               \
        out[2] = BITS_##T(work_group_reduce_max(x));                                               \
        out[3] = BITS_##T(work_group_scan_inclusive_add(x));                                       \
        out[4] = BITS_##T(work_group_scan_inclusive_min(x));                                       \
        out[5] = BITS_##T(work_group_scan_inclusive_max(x));                                       \
        out[6] = BITS_##T(work_group_scan_exclusive_add(x));                                       \
        out[7] = BITS_##T(work_group_broadcast(x, get_local_size(0) / 3));                         \
        out[8] = BITS_##T(sub_group_reduce_add(x));                                                \
        out[9] = BITS_##T(sub_group_reduce_max(x));                                                \
        out[10] = BITS_##T(sub_group_scan_inclusive_add(x));                                       \
        out[11] = BITS_##T(sub_group_scan_inclusive_min(x));                                       \
        out[12] = BITS_##T(sub_group_scan_exclusive_add(x));                                       \
        out[13] = BITS_##T(sub_group_broadcast(x, get_sub_group_size() / 2));                      \
    }
TOGETHER(int)
TOGETHER(uint)
TOGETHER(long)
TOGETHER(ulong)
TOGETHER(float)
TOGETHER(double)

kernel void group_votes(global const ulong *in, global ulong *out)
{
    const uint x = (uint)in[get_global_id(0)];
    out += 4 * get_global_id(0);
    out[0] = !!work_group_any(x % 97 == 3) | !!work_group_all(x % 97 != 3) << 1;
    out[1] = !!sub_group_any(x % 61 == 3) | !!sub_group_all(x % 61 != 3) << 1;
    out[2] = get_sub_group_size() | get_max_sub_group_size() << 8 | get_num_sub_groups() << 16 |
             get_sub_group_id() << 24;
    out[3] = get_sub_group_local_id();
}

// Local memory of three kinds: static, an argument, and copied to by the group's own functions.
kernel void group_local(global const ulong *in, global ulong *out, local uint *shared)
{
    local ushort halves[256];
    local ulong table[256];
    const size_t lane = get_local_id(0), n = get_local_size(0),
                 first = get_group_id(0) * get_enqueued_local_size(0);
    const ulong word = in[first + lane];
    out += 6 * (first + lane);
    shared[lane] = (uint)word;
    halves[lane] = (ushort)(word >> 32);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[0] = shared[n - 1 - lane] ^ shared[lane * 13 % n];
    out[1] = halves[(lane + 7) % n] | (ulong)halves[lane ^ 1] << 16;
    event_t copied = async_work_group_copy(table, in + first, n, 0);
    wait_group_events(1, &copied);
    out[2] = table[lane * 5 % n];
    barrier(CLK_LOCAL_MEM_FENCE);
    copied = async_work_group_strided_copy(table, in + first, n / 2, 2, 0);
    wait_group_events(1, &copied);
    out[3] = table[lane / 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    // a generic pointer: lanes write to LDS or to global memory by the same instruction
    ulong *either = word & 1 ? (ulong *)&table[lane] : (ulong *)&out[4];
    table[lane] = word;
    out[4] = 5;
    *either += 3;
    out[5] = table[lane] ^ (to_local(either) ? 1 : 0) ^ (to_global(either) ? 2 : 0);
    if (!(word & 1)) out[4] ^= word;
}

#define UPDATES(name, T, space, add, sub, inc, dec, min, max, and, or, xor)                        \
    inline void name(volatile space T *at, uint x)                                                 \
    {                                                                                              \
        add(&at[0], (T)x);                                                                         \
        sub(&at[1], (T)x);                                                                         \
        inc(&at[2]);                                                                               \
        dec(&at[3]);                                                                               \
        min(&at[4], (T)(x * 2654435761u));                                                         \
        max(&at[5], (T)(x * 2654435761u));                                                         \
        and(&at[6], (T)x | ~(T)0x1010101);                                                         \
        or (&at[7], (T)x & 0x80420);                                                               \
        xor(&at[8], (T)x);                                                                         \
    }
UPDATES(global_int, int, global, atomic_add, atomic_sub, atomic_inc, atomic_dec, atomic_min,
        atomic_max, atomic_and, atomic_or, atomic_xor)
UPDATES(local_int, int, local, atomic_add, atomic_sub, atomic_inc, atomic_dec, atomic_min,
        atomic_max, atomic_and, atomic_or, atomic_xor)
UPDATES(global_uint, uint, global, atomic_add, atomic_sub, atomic_inc, atomic_dec, atomic_min,
        atomic_max, atomic_and, atomic_or, atomic_xor)
UPDATES(local_uint, uint, local, atomic_add, atomic_sub, atomic_inc, atomic_dec, atomic_min,
        atomic_max, atomic_and, atomic_or, atomic_xor)
UPDATES(global_long, long, global, atom_add, atom_sub, atom_inc, atom_dec, atom_min, atom_max,
        atom_and, atom_or, atom_xor)
UPDATES(local_long, long, local, atom_add, atom_sub, atom_inc, atom_dec, atom_min, atom_max,
        atom_and, atom_or, atom_xor)
UPDATES(global_ulong, ulong, global, atom_add, atom_sub, atom_inc, atom_dec, atom_min, atom_max,
        atom_and, atom_or, atom_xor)
UPDATES(local_ulong, ulong, local, atom_add, atom_sub, atom_inc, atom_dec, atom_min, atom_max,
        atom_and, atom_or, atom_xor)

// Nine counters at `counters` for all items, nine for each group after them, all zero at first.
#define COUNT(T)                                                                                   \
    kernel void atomics_##T(global const ulong *in, global T *counters)                            \
    {                                                                                              \
        local T mine[9];                                                                           \
        const uint x = (uint)in[get_global_id(0)];                                                 \
        if (get_local_id(0) < 9) mine[get_local_id(0)] = 0;                                        \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        global_##T(counters, x);                                                                   \
        local_##T(mine, x);                                                                        \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        if (get_local_id(0) < 9)                                                                   \
            counters[9 + 9 * get_group_id(0) + get_local_id(0)] = mine[get_local_id(0)];           \
    }
COUNT(int)
COUNT(uint)
COUNT(long)
COUNT(ulong)

// C11's atomics. cells: 0 tickets, 1 sum by compare and exchange, 2 a lock, 3 what it guards,
// 4 sum of floats by exchange, 5 an order of scopes; seen[ticket] counts how often it was given.
kernel void atomics_c11(global const ulong *in, global atomic_uint *cells, global atomic_uint *seen,
                        global atomic_ulong *wide)
{
    const uint x = (uint)in[get_global_id(0)];
    local atomic_uint mine;
    if (get_local_id(0) == 0) atomic_init(&mine, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    const uint ticket =
        atomic_fetch_add_explicit(&cells[0], 1, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add(&seen[ticket], 1);
    uint old = atomic_load(&cells[1]);
    while (!atomic_compare_exchange_weak(&cells[1], &old, old + (x & 0xffff))) {
    }
    // Only one item of a sub-group: the others of it would wait for one another for ever.
    const uint share = sub_group_reduce_add(x >> 16);
    if (get_sub_group_local_id() == 0) {
        uint open = 0;
        while (!atomic_compare_exchange_strong_explicit(&cells[2], &open, 1, memory_order_acquire,
                                                        memory_order_relaxed, memory_scope_device))
            open = 0;
        volatile global uint *guarded = (volatile global uint *)&cells[3];
        *guarded += share;
        atomic_store_explicit(&cells[2], 0, memory_order_release, memory_scope_device);
    }
    float add = x % 64;
    old = atomic_load_explicit(&cells[4], memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_strong(&cells[4], &old, as_uint(as_float(old) + add))) {
    }
    atomic_fetch_or_explicit(&mine, 1u << (x & 31), memory_order_acq_rel, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) atomic_fetch_xor(&cells[5], atomic_exchange(&mine, 7));
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (atomic_load_explicit(&mine, memory_order_acquire, memory_scope_work_group) == 7)
        atomic_fetch_sub(&cells[6], 1);
    atomic_fetch_max_explicit(&wide[0], in[get_global_id(0)], memory_order_relaxed,
                              memory_scope_all_svm_devices);
    atomic_fetch_min(&wide[1], in[get_global_id(0)]);
    atomic_fetch_add(&wide[2], in[get_global_id(0)]);
    atomic_fetch_and_explicit(&wide[3], in[get_global_id(0)] | 0xffff, memory_order_release,
                              memory_scope_device);
}

// Where an item is, in one word for each item of a launch in three dimensions, and how large all
// is, in a second.
kernel void places(global ulong *out)
{
    const size_t x = get_global_id(0) - get_global_offset(0),
                 y = get_global_id(1) - get_global_offset(1),
                 z = get_global_id(2) - get_global_offset(2);
    out += 4 * ((z * get_global_size(1) + y) * get_global_size(0) + x);
    out[0] = get_local_id(0) | get_local_id(1) << 8 | get_local_id(2) << 16 |
             get_group_id(0) << 24 | get_group_id(1) << 32 | get_group_id(2) << 40 |
             get_local_linear_id() << 48;
    out[1] = get_local_size(0) | get_local_size(1) << 8 | get_local_size(2) << 16 |
             get_enqueued_local_size(0) << 24 | get_enqueued_local_size(1) << 32 |
             get_enqueued_local_size(2) << 40 | (ulong)get_work_dim() << 48;
    out[2] = get_num_groups(0) | get_num_groups(1) << 8 | get_num_groups(2) << 16 |
             get_global_size(0) << 24 | get_global_size(1) << 32 | get_global_size(2) << 40;
    out[3] = get_global_id(0) | get_global_id(1) << 16 | get_global_id(2) << 32 |
             get_global_linear_id() << 48;
}

kernel __attribute__((reqd_work_group_size(8, 4, 2))) void places_fixed(global ulong *out)
{
    const size_t at = get_global_linear_id();
    out[at] = get_local_linear_id() | get_local_size(0) << 8 | get_local_size(1) << 16 |
              get_local_size(2) << 24 | (ulong)work_group_broadcast((uint)at, 7, 3, 1) << 32;
}
