/* check.c - see check.h: passes dispatches, and the program's calls, to src/softgpu/check, which
 * decides what is wrong. */
#include "softgpu/device/check.h"

#include "base/kernel_name.h"
#include "base/log.h"
#include "softgpu/check/request.h"
#include "softgpu/check/check.h"
#include "softgpu/check/failures.h"
#include "softgpu/check/group.h"
#include "softgpu/check/leaks.h"
#include "softgpu/check/memory.h"
#include "softgpu/memory/code_object.h"
#include "softgpu/device/stall.h"

#include <hsa/hsa.h>
#include <stdlib.h>
#include <string.h>

static bool is_chosen(const sg_run_t *run, uint64_t kernel_object)
{
    if (!chk_chooses()) return true;
    char *symbol = sg_kernel_name(run->device->memory, kernel_object);
    char *name = symbol ? base_kernel_name(symbol) : NULL;
    const bool chosen = name && chk_chosen(name);
    free(name);
    free(symbol);
    return chosen;
}

void sg_check_begin(sg_run_t *run, const hsa_kernel_dispatch_packet_t *packet, uint64_t id,
                    uint32_t scalars)
{
    chk_line_t *order = run->queue->order;
    run->checked = chk_wanted() && is_chosen(run, packet->kernel_object);
    sg_stall_begin(run);
    if (!run->checked && !order) return;
    chk_line_packet(order, id, packet->header >> HSA_PACKET_HEADER_BARRIER & 1);
    run->check = (chk_dispatch_t){.serial = chk_line_dispatch(order),
                                  .call = chk_line_call(order),
                                  .kernel_object = packet->kernel_object,
                                  .memory = run->device->memory,
                                  .lds_bytes = packet->group_segment_size,
                                  .scratch_bytes = packet->private_segment_size,
                                  .kernarg_bytes = run->kernarg_bytes,
                                  .kernarg = (uint64_t)packet->kernarg_address,
                                  .scalars = scalars,
                                  .groups = run->total,
                                  .grid = {run->groups[0], run->groups[1], run->groups[2]}};
    if (run->checked) chk_dispatch_begin(&run->check);
}

void sg_check_start(sg_box_t *b, uint64_t id)
{
    if (!b->check && !(b->check = chk_group_create())) {
        base_error("no memory to check a workgroup");
        return;
    }
    chk_group_start(b->check, &b->run->check, &b->group, id);
    sg_stall_start(b);
}

bool sg_check_ready(void)
{
    return chk_ready();
}

void sg_check_report(void)
{
    chk_leaks();
    chk_summary();
}

/* ---- the program's calls ---- */

static void made(uint64_t begin, uint64_t bytes, const char *call, unsigned flags)
{
    chk_stack_t stack;
    chk_stack_take(&stack);
    if (!begin) return;
    chk_place_add(begin, bytes, call, flags, &stack);
    chk_made(begin, bytes);
}

static void variable(uint64_t begin, uint64_t bytes, const char *symbol)
{
    const chk_stack_t nowhere = {0};
    char *name = strdup(symbol); /* never freed: the checker keeps the pointer */
    const uint64_t serial =
        chk_place_add(begin, bytes, "__managed__", SOFTGPU_CHECK_INNER, &nowhere);
    if (name && serial) chk_place_name(begin, serial, name);
}

static bool going(uint64_t begin, const char *call, unsigned flags, softgpu_check_place_t *place)
{
    chk_place_t p;
    if (chk_place_at(begin, &p)) {
        *place = (softgpu_check_place_t){p.serial, p.end - p.begin, p.call};
        if (flags & SOFTGPU_CHECK_NOW) chk_going(begin, place->bytes);
        return true;
    }
    if (!(flags & SOFTGPU_CHECK_REPORT) || !begin || !chk_places_all()) return false;
    chk_stack_t stack;
    chk_stack_take(&stack);
    /* HIP may free a pool at any time after the program has freed the pool's memory */
    if (!strncmp(call, "hsa_", 4) && !chk_called_by_program(&stack)) return false;
    const bool twice = chk_place_was(begin, &p);
    const chk_finding_t f = {.kind = twice ? CHK_KIND_DOUBLE_FREE : CHK_KIND_FREE,
                             .at_address = true,
                             .va = begin,
                             .call = call,
                             .stack = &stack};
    chk_report(&f);
    return false;
}

static void ending(uint64_t begin, uint64_t number, const char *call)
{
    chk_stack_t stack;
    chk_stack_take(&stack);
    chk_place_ending(begin, number, call, &stack);
}

static void end_place(uint64_t begin, uint64_t number, const char *call, bool held)
{
    chk_stack_t stack;
    chk_stack_take(&stack);
    const uint64_t bytes = chk_place_end(begin, number, call, &stack, held);
    if (bytes && held) chk_going(begin, bytes);
}

static void copies(uint64_t to, uint64_t to_bytes, uint64_t from, uint64_t from_bytes,
                   const char *call)
{
    chk_stack_t stack;
    chk_stack_take(&stack);
    chk_copy_call(to, to_bytes, from, from_bytes, call, &stack);
}

static void launches(const char *call)
{
    chk_request_t c = {.call = call};
    chk_stack_take(&c.stack);
    chk_request_begin(&c);
}

static void moves(uint64_t to, uint64_t to_bytes, uint64_t from, uint64_t from_bytes,
                  uint64_t bytes)
{
    chk_request_move((chk_span_t){to, to + to_bytes}, (chk_span_t){from, from + from_bytes}, bytes);
}

const softgpu_check_api_t *sg_check_api(unsigned version)
{
    static softgpu_check_api_t api = {.version = SOFTGPU_CHECK_VERSION,
                                      .made = made,
                                      .variable = variable,
                                      .own = chk_place_own,
                                      .going = going,
                                      .ending = ending,
                                      .gone = end_place,
                                      .released = chk_place_released,
                                      .shared = chk_places_shared,
                                      .copies = copies,
                                      .over = chk_request_end,
                                      .code = chk_code_add,
                                      .leaving = sg_leave};
    /* every call stores the same values, so several threads may store them at the same time */
    api.order = chk_order_api();
    if (chk_wanted() & CHK_API) api.failed = chk_call_failed;
    if (chk_wanted() & CHK_RACE) {
        api.launches = launches;
        api.moves = moves;
    }
    return version == SOFTGPU_CHECK_VERSION && chk_wanted() ? &api : NULL;
}
