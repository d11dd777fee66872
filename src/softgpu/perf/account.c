/* account.c - adds the cost of one instruction in the models to its line of the census.
 *
 * It takes the difference of clocks and of cache tallies around the instruction, so that clock.c
 * and the caches need no counts by instruction. These functions run only if there is a census. */
#include "softgpu/cache/reach.h"
#include "softgpu/perf/model.h"

#include <string.h>

/* Whether the instruction uses a pipe or a cache, or has to be fetched. Branches, messages and the
 * like use neither pipe nor cache. */
static bool uses_more(const sg_wave_clock_t *c, const sg_traits_t *t, uint64_t pc)
{
    const bool flows = t->klass >= ISA_CLASS_BRANCH && t->klass <= ISA_CLASS_INTERNAL;
    return !flows || pc - c->code >= SGC_FETCH;
}

void sg_account_open(sg_account_t *a, sg_wave_clock_t *c, const sg_clock_of_t *of,
                     const sg_traits_t *t, uint64_t pc, isa_census_line_t *l)
{
    a->now = c->now;
    a->waited = c->waited;
    c->by_wait = (uint64_t *)((char *)&l->n + offsetof(softgpu_instruction_counts_t, wait_code));
    a->more = uses_more(c, t, pc);
    if (!a->more) return;
    a->memory =
        (t->klass >= ISA_CLASS_SMEM && t->klass <= ISA_CLASS_SMEM_AT) || t->klass >= ISA_CLASS_LDS;
    memcpy(a->pipe, c->pipe, sizeof a->pipe);
    a->vmem_level = c->vmem_level;
    a->smem_level = c->smem_level;
    a->lds_level = c->lds_level;
    a->caches = *of->tallies;
}

static void add_l2(softgpu_instruction_counts_t *n, const sgc_tallies_t *before,
                   const sgc_tallies_t *now)
{
    const uint64_t hits = now->l2_hits - before->l2_hits;
    n->l2_hits += hits;
    n->l2_misses += now->l2_requests - before->l2_requests - hits;
    n->memory_bytes +=
        (now->below - before->below - (now->code_below - before->code_below)) * SGC_LINE;
}

static void add_vector(softgpu_instruction_counts_t *n, const sgc_tallies_t *before,
                       const sgc_tallies_t *now)
{
    const uint64_t requests = now->requests - before->requests;
    n->l1_hits += now->lookups - before->lookups - requests;
    n->l1_misses += requests;
    n->tlb_misses += now->tlb_misses - before->tlb_misses;
}

static void add_scalar(softgpu_instruction_counts_t *n, const sgc_tallies_t *before,
                       const sgc_tallies_t *now)
{
    n->scalar_hits += now->scalar_hits - before->scalar_hits;
    n->scalar_misses += now->scalar_misses - before->scalar_misses;
    n->scalar_late += now->scalar_late - before->scalar_late;
}

static void add_code(softgpu_instruction_counts_t *n, const sgc_tallies_t *before,
                     const sgc_tallies_t *now)
{
    n->code_fetches += now->code_fetches - before->code_fetches;
    n->code_misses += now->code_misses - before->code_misses;
    n->code_l2_misses += now->code_l2_misses - before->code_l2_misses;
}

/* Instructions that use vector memory and LDS wait for the slower of them: vector memory. */
static uint64_t latency(const sg_account_t *a, const sg_wave_clock_t *c)
{
    const uint64_t vector = c->vmem_level - a->vmem_level;
    return vector ? vector : c->smem_level - a->smem_level + c->lds_level - a->lds_level;
}

void sg_account_close(const sg_account_t *a, sg_wave_clock_t *c, const sg_clock_of_t *of,
                      isa_census_line_t *l)
{
    const sgc_tallies_t *now = of->tallies;
    c->by_wait = NULL;
    l->n.issue += c->now - a->now - (c->waited - a->waited);
    if (!a->more) return;
    /* memory instructions use only the pipes from SG_PIPE_SCALAR on, all others only those before
     * SG_PIPE_LDS */
    for (unsigned pipe = a->memory ? SG_PIPE_SCALAR : SG_PIPE_VALU;
         pipe < (a->memory ? SG_PIPES : SG_PIPE_LDS); pipe++)
        l->pipe[pipe] += c->pipe[pipe] - a->pipe[pipe];
    if (now->code_fetches != a->caches.code_fetches) add_code(&l->n, &a->caches, now);
    if (now->below != a->caches.below || now->l2_requests != a->caches.l2_requests)
        add_l2(&l->n, &a->caches, now);
    if (!a->memory) return;
    l->n.latency += latency(a, c);
    if (now->lookups != a->caches.lookups)
        add_vector(&l->n, &a->caches, now);
    else
        add_scalar(&l->n, &a->caches, now);
}
