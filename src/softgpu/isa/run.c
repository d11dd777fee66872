/* run.c - the run loop and the core's entry points.
 *
 * One loop, kept as small as it can be: everything that is not needed on every instruction is in a
 * handler. ISA_ON_INST is where a counting build looks at each instruction before it runs. */
#include "softgpu/isa/core.h"

#include <xmmintrin.h>

/* Round to nearest, denormals kept, no exception unmasked: what vector instructions build on. A
 * thread inherits the program's setting, which fast-math start-up code may have changed. */
enum { HOST_FLOAT_MODE = 0x1f80 };

#ifndef ISA_ON_INST
#define ISA_ON_INST(w, i) ((void)0)
#endif

#define ISA_STR_(x) #x
#define ISA_STR(x)  ISA_STR_(x)

bool isa_go_to(isa_wave_t *w, uint64_t pc)
{
    isa_page_t *page = NULL;
    if (!(pc & 3)) page = isa_code_page(w->group->dispatch->code, &ISA_THIS_CORE, pc);
    if (!page) {
        w->stop = ISA_STOP_MEMORY;
        w->fault_addr = pc;
        w->fault_flags = ISA_FAULT_READ | ISA_FAULT_EXEC;
        return false;
    }
    w->page = page;
    w->ip = &page->slots[pc % ISA_PAGE_BYTES / 4];
    return true;
}

static isa_stop_t run(isa_wave_t *w, int32_t slice)
{
    const unsigned host_float_mode = _mm_getcsr();
    w->stop = ISA_RUN;
    w->budget = slice;
    _mm_setcsr(HOST_FLOAT_MODE);
    do {
        const isa_inst_t *i = w->ip;
        isa_handler_t *fn = atomic_load_explicit(&i->fn, memory_order_acquire);
        /* A slot that is being decoded by another wave has any size here; its handler repairs ip.
         */
        w->ip = i + __atomic_load_n(&i->dwords, __ATOMIC_RELAXED);
        ISA_ON_INST(w, i);
        fn(w, i);
    } while (__builtin_expect(!w->stop, 1));
    _mm_setcsr(host_float_mode);
    return w->stop;
}

const isa_core_t ISA_THIS_CORE = {
    .name = ISA_STR(ISA_VARIANT),
    .set_pc = isa_go_to,
    .run = run,
    .handlers = isa_core_handlers,
};
