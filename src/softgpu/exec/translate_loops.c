/* translate_loops.c - the loops of a segment over its chunks, around what translate_segment.c has
 * written for one of them. */
#include "softgpu/exec/translate_emit.h"

/* Where the chunk's part of row 0 is. */
static void put_base(isa_emitter_t *e, const isa_emit_way_t *way)
{
    const unsigned b = isa_emit_fresh(e);
    isa_put(&e->code,
            "  %%b%u = shl i64 %%t%u, 2\n  %%t%u = getelementptr i8, ptr %%rows, i64 %%b%u\n", b,
            way->lane, way->base, b);
}

/* The begin of a loop over all chunks, `n` of them abreast; `label`: of its first block, with the
 * segment's number. */
static void begin_loop(isa_emitter_t *e, const isa_emit_way_t *way, unsigned n, const char *label,
                       unsigned l)
{
    isa_put(&e->code, "%s%u:\n  %%t%u = load i64, ptr %%lane%u\n", label, l, way->lane, l);
    for (unsigned k = 0; k < n; k++) {
        if (k)
            isa_put(&e->code, "  %%t%u = add i64 %%t%u, %u\n", way[k].lane, way->lane,
                    k * e->library->chunk);
        put_base(e, &way[k]);
    }
}

static void end_loop(isa_emitter_t *e, const isa_emit_way_t *way, unsigned abreast,
                     const char *label, unsigned l)
{
    const unsigned n = isa_emit_fresh(e);
    isa_put(&e->code, "  %%n%u = add i64 %%t%u, %u\n  store i64 %%n%u, ptr %%lane%u\n", n,
            way->lane, abreast * e->library->chunk, n, l);
    isa_put(&e->code, "  %%m%u = icmp ult i64 %%n%u, %u\n", n, n, isa_page_lanes(e->plan->page));
    isa_put(&e->code, "  br i1 %%m%u, label %%%s%u, label %%behind%u\n", n, label, l, l);
}

/* Of code for any EXEC, chunks without active lanes are skipped: lanes often part until a few are
 * left. Here each chunk is asked. */
static void skip_idle(isa_emitter_t *e, const isa_emit_way_t *way, unsigned l)
{
    isa_put(&e->code, "  %%idle%u = icmp eq i32 %%t%u, 0\n", l, way->active);
    isa_put(&e->code, "  br i1 %%idle%u, label %%skip%u, label %%any%u\nany%u:\n", l, l, l, l);
}

/* Whether the set of the chunks that have active lanes is found before the loop, so that the host
 * guesses once for the loop, where it ends, and not for each chunk. If there are two chunks, which
 * ones are loaded need not wait until EXEC is known. */
static bool takes_set(const isa_emitter_t *e)
{
    return isa_emit_is_short(e) && ISA_ROW / e->library->chunk > 2;
}

/* The loop over that set. */
static void begin_some(isa_emitter_t *e, const isa_emit_way_t *way, unsigned l)
{
    const unsigned chunk = e->library->chunk, n = ISA_ROW / chunk, k = isa_emit_fresh(e);
    isa_text_t *t = &e->code;
    isa_put(&e->entry, "  %%chunks%u = alloca i32\n", l);
    isa_put(t, "chunk%u:\n  %%b%u = bitcast i64 %%t%u to <%u x i%u>\n", l, k, e->exec, n, chunk);
    isa_put(t, "  %%c%u = icmp ne <%u x i%u> %%b%u, zeroinitializer\n", k, n, chunk, k);
    isa_put(t, "  %%d%u = bitcast <%u x i1> %%c%u to i%u\n", k, n, k, n);
    isa_put(t, "  %%e%u = zext i%u %%d%u to i32\n  store i32 %%e%u, ptr %%chunks%u\n", k, n, k, k,
            l);
    isa_put(t, "  %%f%u = icmp eq i32 %%e%u, 0\n", k, k);
    isa_put(t, "  br i1 %%f%u, label %%behind%u, label %%some%u\nsome%u:\n", k, l, l, l);
    isa_put(t, "  %%g%u = load i32, ptr %%chunks%u\n", k, l);
    isa_put(t, "  %%h%u = call i32 @llvm.cttz.i32(i32 %%g%u, i1 true)\n", k, k);
    isa_put(t, "  %%j%u = zext i32 %%h%u to i64\n  %%t%u = mul i64 %%j%u, %u\n", k, k, way->lane, k,
            chunk);
    isa_put(t, "  store i64 %%t%u, ptr %%lane%u\n", way->lane, l);
    put_base(e, way);
}

static void end_some(isa_emitter_t *e, unsigned l)
{
    const unsigned k = isa_emit_fresh(e);
    isa_text_t *t = &e->code;
    isa_put(t, "  %%a%u = load i32, ptr %%chunks%u\n  %%b%u = sub i32 %%a%u, 1\n", k, l, k, k);
    isa_put(t, "  %%c%u = and i32 %%a%u, %%b%u\n  store i32 %%c%u, ptr %%chunks%u\n", k, k, k, k,
            l);
    isa_put(t, "  %%d%u = icmp ne i32 %%c%u, 0\n", k, k);
    isa_put(t, "  br i1 %%d%u, label %%some%u, label %%behind%u\n", k, l, l);
}

/* The loop for a full EXEC, and the choice between it and the other one. */
static void put_whole(isa_emitter_t *e, unsigned l)
{
    isa_emit_way_t *way = &e->way[ISA_EMIT_WHOLE];
    const unsigned k = isa_emit_fresh(e);
    isa_put(&e->code, "  %%t%u = icmp eq i64 %%t%u, %lld\n", k, e->exec,
            (long long)isa_page_full(e->plan->page));
    isa_put(&e->code, "  br i1 %%t%u, label %%all%u, label %%chunk%u\n", k, l, l);
    begin_loop(e, way, 1, "all", l);
    isa_move(&e->code, &way->text);
    end_loop(e, way, 1, "all", l);
}

void isa_emit_loops(isa_emitter_t *e, unsigned l)
{
    const isa_emit_way_t *way = &e->way[ISA_EMIT_QUICK];
    const bool set = takes_set(e), skips = e->plan->masked && !set;
    isa_put(&e->entry, "  %%lane%u = alloca i64\n", l);
    isa_put(&e->code, "  store i64 0, ptr %%lane%u\n", l);
    if (isa_emit_is_short(e))
        put_whole(e, l);
    else
        isa_put(&e->code, "  br label %%chunk%u\n", l);
    if (set)
        begin_some(e, way, l);
    else
        begin_loop(e, way, e->abreast, "chunk", l);
    isa_move(&e->code, &e->begin);
    if (skips) skip_idle(e, way, l);
    isa_move(&e->code, &e->way[ISA_EMIT_QUICK].text);
    if (skips) isa_put(&e->code, "  br label %%skip%u\nskip%u:\n", l, l);
    if (set)
        end_some(e, l);
    else
        end_loop(e, way, e->abreast, "chunk", l);
}
