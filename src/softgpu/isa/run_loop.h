/* run_loop.h - the run loop, included by run.c once for each function it makes.
 *
 * Kept as small as it can be: everything that is not needed on every instruction is in a handler.
 * ISA_LOOP_HEAD is the function's head, ISA_LOOP_BEFORE and ISA_LOOP_AFTER stand around every
 * instruction; the plain loop has them empty. No include guard. */
ISA_LOOP_HEAD
{
    w->stop = ISA_RUN;
    w->budget = slice;
    _mm_setcsr(ISA_HOST_FLOAT_MODE);
    do {
        const isa_inst_t *i = w->ip;
        isa_handler_t *fn = atomic_load_explicit(&i->fn, memory_order_acquire);
        /* A slot that is being decoded by another wave has any size here; its handler repairs ip.
         */
        w->ip = i + __atomic_load_n(&i->dwords, __ATOMIC_RELAXED);
        ISA_LOOP_BEFORE;
        fn(w, i);
        ISA_LOOP_AFTER;
    } while (__builtin_expect(!w->stop, 1));
    return w->stop;
}
#undef ISA_LOOP_HEAD
#undef ISA_LOOP_BEFORE
#undef ISA_LOOP_AFTER
