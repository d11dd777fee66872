/* run_loop.h - the body of the run loops: run.c includes this file once for each of them.
 *
 * The loop is as small as it can be, since it is run for every instruction: what only some need is
 * in their handlers. The includer defines ISA_LOOP_HEAD, the function's head, and ISA_LOOP_BEFORE
 * and ISA_LOOP_AFTER, which stand around every instruction. No include guard. */
ISA_LOOP_HEAD
{
    w->stop = ISA_RUN;
    w->budget = slice;
    _mm_setcsr(ISA_HOST_FLOAT_MODE);
    do {
        const isa_inst_t *i = w->ip;
        isa_handler_t *fn = atomic_load_explicit(&i->fn, memory_order_acquire);
        /* If another wave is decoding this slot, the size read here may be 0 or the right one. It
         * does not matter: isa_slot_undecoded(), the handler until then, sets ip back to *i. */
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
