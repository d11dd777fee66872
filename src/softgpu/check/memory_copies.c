/* memory_copies.c - checks copies and fills: the calls that request them, and the engines and
 * kernels that do the work.
 *
 * A call's ranges are checked when the call is made. The accesses of copy engines and of the
 * runtimes' own kernels are checked, too: an invalid access is reported with the name of the call,
 * unless an error of that call has been reported already. */
#include "softgpu/check/request.h"
#include "softgpu/check/code.h"
#include "softgpu/check/group.h"
#include "softgpu/check/memory.h"

#include "base/kernel_name.h"
#include "softgpu/memory/memory.h"
#include "softgpu/memory/code_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool check_side(const chk_request_t *c, const chk_span_t *side, chk_kind_t kind)
{
    const uint64_t bytes = side->end - side->begin;
    const sg_memory_t *m = bytes ? chk_memory_of(side->begin) : NULL;
    uint64_t bad;
    if (!chk_place_beyond(side->begin, bytes, &bad) &&
        !chk_code_beyond(m, side->begin, bytes, &bad))
        return false;
    const chk_finding_t f = {.kind = kind,
                             .bytes = bytes,
                             .memory = m,
                             .at_address = true,
                             .va = bad,
                             .behind = bad > side->begin,
                             .call = c->call,
                             .stack = &c->stack};
    chk_report(&f);
    return true;
}

void chk_copy_call(uint64_t to, uint64_t to_bytes, uint64_t from, uint64_t from_bytes,
                   const char *call, const chk_stack_t *stack)
{
    chk_request_t c = {.call = call,
                       .to = {to, to + to_bytes},
                       .from = {from, from + from_bytes},
                       .stack = *stack};
    if (!(chk_wanted() & (CHK_MEMORY | CHK_INIT | CHK_RACE))) return;
    if (chk_wanted() & CHK_MEMORY) {
        const bool writes = check_side(&c, &c.to, CHK_KIND_COPY_WRITE),
                   reads = check_side(&c, &c.from, CHK_KIND_COPY_READ);
        c.reported = writes || reads;
    }
    chk_request_begin(&c);
}

/* ---- engines and kernels that do the work ---- */

bool chk_copy_kernel(const sg_memory_t *m, uint64_t kernel_object)
{
    /* a cache: a faulty kernel is looked up for many waves, and a race involves two kernels */
    enum { KERNELS = 4, OBJECT_BYTES = 64 };
    static _Thread_local struct {
        uint64_t kernel_object, epoch;
        bool own;
    } known[KERNELS], *last;
    const uint64_t epoch = sg_memory_epoch(m);
    last = &known[kernel_object / OBJECT_BYTES % KERNELS];
    if (last->kernel_object == kernel_object && last->epoch == epoch) return last->own;
    char *name = sg_kernel_name(m, kernel_object);
    const bool own =
        name && (!strncmp(name, "__amd_rocclr_", 13) || !strncmp(name, "kernel_at_", 10));
    free(name);
    last->kernel_object = kernel_object;
    last->epoch = epoch;
    last->own = own;
    return own;
}

static bool is_runtimes_own(const chk_finding_t *f)
{
    return chk_copy_kernel(f->memory, f->kernel_object);
}

bool chk_copy_name(chk_finding_t *f, chk_stack_t *stack)
{
    chk_request_t c;
    if (!is_runtimes_own(f) || !chk_request_latest(f->va, &c)) return false;
    *stack = c.stack;
    f->call = c.call;
    f->stack = stack;
    return true;
}

/* "address 0x7f20c0001000 is in scale(float) at scale.hip:14" */
static void name_code(const sg_memory_t *m, uint64_t va, char *text, size_t room)
{
    chk_code_t at;
    const bool has_line = chk_where_code(m, va, &at);
    char *name = at.symbol ? base_kernel_name(at.symbol) : NULL;
    const int n = snprintf(text, room, "address 0x%llx is in %s", (unsigned long long)va,
                           name ? name : "a code object");
    if (has_line && n > 0 && (size_t)n < room)
        snprintf(text + n, room - (size_t)n, " at %s:%u", *at.file, *at.line);
    free(name);
}

void chk_memory_report(chk_finding_t *f)
{
    chk_request_t c;
    char more[512];
    const bool own = is_runtimes_own(f);
    if (own && f->kind == CHK_KIND_CODE) return; /* the runtimes load code by such a copy */
    if (f->kind == CHK_KIND_CODE) {
        name_code(f->memory, f->va, more, sizeof more);
        f->more = more;
    }
    if (own && chk_request_latest(f->va, &c)) {
        if (c.reported) return;
        f->call = c.call;
        f->stack = &c.stack;
    } else if (own && chk_code_is_at(f->memory, f->va)) {
        return; /* the runtimes load all variables of a code object by one copy */
    }
    chk_report(f);
}

/* Finds the first address of a range that is in no allocation. */
static bool find_bad(const sg_memory_t *m, uint64_t va, uint64_t bytes, uint64_t *bad)
{
    while (bytes) {
        chk_span_t span;
        const sg_extent_t *e = sg_memory_find(m, va);
        *bad = va;
        if (!e || chk_place_find(va, e->begin, e->end, false, &span) == CHK_OUTSIDE) return true;
        const uint64_t end = span.end < e->end ? span.end : e->end;
        if (bytes <= end - va) return false;
        bytes -= end - va;
        va = end;
    }
    return false;
}

/* Adds the call for which the transfer works: the latest one at that address. False: an error of
 * that call has been reported. */
static bool name_call(chk_finding_t *f, chk_request_t *c)
{
    if (!chk_request_latest(f->va, c)) {
        if (!f->more) f->more = "by a packet of a copy engine";
        return true;
    }
    f->call = c->call;
    f->stack = &c->stack;
    return !c->reported;
}

void chk_copy_report(chk_finding_t *f)
{
    chk_request_t c;
    name_call(f, &c);
    chk_report(f);
}

static void check_transfer(const sg_memory_t *m, uint64_t va, uint64_t bytes, chk_kind_t kind)
{
    chk_request_t c;
    chk_finding_t f = {.kind = kind, .bytes = bytes, .at_address = true, .memory = m};
    if (!va || !find_bad(m, va, bytes, &f.va)) return;
    if (name_call(&f, &c)) chk_report(&f);
}

void chk_memory_transfer(const struct sg_memory *m, uint64_t from, uint64_t to, uint64_t bytes)
{
    check_transfer(m, from, bytes, CHK_KIND_COPY_READ);
    check_transfer(m, to, bytes, CHK_KIND_COPY_WRITE);
}
