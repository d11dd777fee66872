/* svm.c - shared virtual memory: attributes of ranges of the program's memory, and access to them.
 *
 * With XNACK off a GPU can access only the ranges to which it has been given access. No data moves,
 * since a GPU's memory is host memory here: advice and prefetches are only recorded, returned when
 * queried, and reported as events (smi.c). Attributes (range_t) are separate from the entries of
 * page tables (extent_t), since a change of advice for part of a range must not unmap it for a
 * moment from a running kernel. */
#include "softgpu/kfd/svm.h"
#include "softgpu/kfd/kfd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_GRANULARITY = 9, MAX_GRANULARITY = 0x3f };

static const uint32_t default_flags = KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_COHERENT;

typedef struct {
    uint32_t preferred, prefetched; /* GPU ids, or KFD_IOCTL_SVM_LOCATION_* */
    uint32_t location;              /* the place to which the last prefetch went */
    uint32_t granularity, flags;
    uint32_t access, in_place; /* bit i: GPU i */
} attributes_t;

typedef struct kfd_svm_range {
    uint64_t begin, end;
    attributes_t a;
    struct kfd_svm_range *next; /* sorted by address; neighbours differ or do not touch */
} range_t;

/* A range of the program's memory in the page table of one GPU. */
typedef struct kfd_svm_extent {
    uint64_t begin, end;
    uint32_t flags; /* SG_MEM_* */
    struct kfd_svm_extent *next;
} extent_t;

/* Set while this thread holds the lock. Its calls of free() may unmap memory, and then the stub
 * calls this file again. Initial-exec, since the first use of a dynamic thread-local variable would
 * allocate. */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

static void begin_work(kfd_process_t *p)
{
    inside = true;
    pthread_mutex_lock(&p->svm_lock);
}

static void end_work(kfd_process_t *p)
{
    pthread_mutex_unlock(&p->svm_lock);
    inside = false;
}

static attributes_t default_attributes(void)
{
    return (attributes_t){.preferred = KFD_IOCTL_SVM_LOCATION_UNDEFINED,
                          .prefetched = KFD_IOCTL_SVM_LOCATION_UNDEFINED,
                          .location = KFD_IOCTL_SVM_LOCATION_SYSMEM,
                          .granularity = DEFAULT_GRANULARITY,
                          .flags = default_flags};
}

/* ---- page tables ---- */

static int add_extent(kfd_gpu_t *gpu, uint64_t begin, uint64_t end, uint32_t flags)
{
    extent_t *e = malloc(sizeof(*e));
    if (!e) return -ENOMEM;
    sg_guard_install();
    int error = sg_memory_map(gpu->memory, begin, end - begin, (void *)(uintptr_t)begin, flags);
    if (error != 0) {
        free(e);
        return error;
    }
    extent_t **link = &gpu->svm;
    while (*link && (*link)->begin < begin)
        link = &(*link)->next;
    *e = (extent_t){begin, end, flags, *link};
    *link = e;
    return 0;
}

/* Splits the extent that crosses `at`, if there is one. Running kernels can access both parts
 * meanwhile. */
static int split_extent(kfd_gpu_t *gpu, uint64_t at)
{
    extent_t *e = gpu->svm;
    while (e && e->end <= at)
        e = e->next;
    if (!e || e->begin >= at) return 0;
    extent_t *rest = malloc(sizeof(*rest));
    int error = rest ? sg_memory_split(gpu->memory, at) : -ENOMEM;
    if (error != 0) {
        free(rest);
        return error;
    }
    *rest = (extent_t){at, e->end, e->flags, e->next};
    e->end = at;
    e->next = rest;
    return 0;
}

/* Unmaps [begin, end) from a GPU. If memory for splitting an extent runs out, the whole extent is
 * unmapped: the GPU must not access memory that the program has unmapped. */
static int cut(kfd_gpu_t *gpu, uint64_t begin, uint64_t end)
{
    int error = split_extent(gpu, begin);
    if (error == 0) error = split_extent(gpu, end);
    for (extent_t **link = &gpu->svm; *link && (*link)->begin < end;) {
        extent_t *gone = *link;
        if (gone->end <= begin) {
            link = &gone->next;
            continue;
        }
        sg_memory_unmap(gpu->memory, gone->begin, gone->end - gone->begin);
        if (gone->flags & SG_MEM_EXECUTABLE) sg_device_invalidate_code(gpu->device);
        *link = gone->next;
        free(gone);
    }
    return error;
}

/* Gives new flags to [begin, end), which lies in one extent. */
static int change_flags(kfd_gpu_t *gpu, uint64_t begin, uint64_t end, uint32_t flags)
{
    int error = split_extent(gpu, begin);
    if (error == 0) error = split_extent(gpu, end);
    extent_t *e = gpu->svm;
    while (e && e->begin < begin)
        e = e->next;
    if (error == 0 && e) error = sg_memory_protect(gpu->memory, begin, end - begin, flags);
    if (error != 0 || !e) return error;
    if (e->flags & SG_MEM_EXECUTABLE) sg_device_invalidate_code(gpu->device);
    e->flags = flags;
    return 0;
}

/* Maps [begin, end) on a GPU. Parts that are mapped already with these flags are not changed. */
static int cover(kfd_gpu_t *gpu, uint64_t begin, uint64_t end, uint32_t flags)
{
    int error = 0;
    while (begin < end && error == 0) {
        const extent_t *e = gpu->svm;
        while (e && e->end <= begin)
            e = e->next;
        uint64_t next = e && e->begin < end ? e->begin : end;
        if (begin < next) { /* a gap */
            error = add_extent(gpu, begin, next, flags);
        } else {
            next = e->end < end ? e->end : end;
            if (e->flags != flags) error = change_flags(gpu, begin, next, flags);
        }
        begin = next;
    }
    return error;
}

static uint32_t page_flags(const attributes_t *a)
{
    return SG_MEM_HOST | SG_MEM_SVM | (a->flags & KFD_IOCTL_SVM_FLAG_GPU_RO ? 0 : SG_MEM_WRITABLE) |
           (a->flags & KFD_IOCTL_SVM_FLAG_GPU_EXEC ? SG_MEM_EXECUTABLE : 0) |
           (a->flags & KFD_IOCTL_SVM_FLAG_COHERENT ? SG_MEM_COHERENT : 0);
}

static int apply(kfd_process_t *p, const range_t *r)
{
    int error = 0;
    for (uint32_t i = 0; i < p->n_gpus && error == 0; i++)
        error = (r->a.access | r->a.in_place) & 1u << i
                    ? cover(&p->gpus[i], r->begin, r->end, page_flags(&r->a))
                    : cut(&p->gpus[i], r->begin, r->end);
    return error;
}

/* ---- ranges ---- */

static range_t *new_range(uint64_t begin, uint64_t end, const attributes_t *a, range_t *next)
{
    range_t *r = malloc(sizeof(*r));
    if (r) *r = (range_t){begin, end, *a, next};
    return r;
}

/* Splits the range that crosses `at`, if there is one. */
static int split(kfd_process_t *p, uint64_t at)
{
    for (range_t *r = p->svm; r; r = r->next)
        if (r->begin < at && at < r->end) {
            range_t *rest = new_range(at, r->end, &r->a, r->next);
            if (!rest) return -ENOMEM;
            r->end = at;
            r->next = rest;
        }
    return 0;
}

/* Makes new ranges for those parts of [begin, end) that have none. */
static int fill(kfd_process_t *p, uint64_t begin, uint64_t end)
{
    const attributes_t a = default_attributes();
    range_t *before = NULL, *r = p->svm;
    while (r && r->end <= begin) {
        before = r;
        r = r->next;
    }
    while (begin < end) {
        if (!r || begin < r->begin) {
            r = new_range(begin, r && r->begin < end ? r->begin : end, &a, r);
            if (!r) return -ENOMEM;
            if (before)
                before->next = r;
            else
                p->svm = r;
        }
        begin = r->end;
        before = r;
        r = r->next;
    }
    return 0;
}

static bool are_one(const range_t *r, const range_t *next)
{
    return next && r->end == next->begin && memcmp(&r->a, &next->a, sizeof(r->a)) == 0;
}

static void merge(kfd_process_t *p)
{
    for (range_t *r = p->svm; r; r = r->next)
        while (are_one(r, r->next)) {
            range_t *gone = r->next;
            r->end = gone->end;
            r->next = gone->next;
            free(gone);
        }
}

/* Removes the attributes of [begin, end). If that makes a hole in a range, the part after the hole
 * needs memory; if memory runs out, the attributes of that part are removed, too. Returns the end
 * of the removed part. */
static uint64_t forget_ranges(kfd_process_t *p, uint64_t begin, uint64_t end)
{
    range_t *head = p->svm;
    for (range_t **link = &head; *link && (*link)->begin < end;) {
        range_t *r = *link;
        if (r->begin < begin && r->end > end) {
            range_t *rest = new_range(end, r->end, &r->a, r->next);
            if (rest)
                r->next = rest;
            else
                end = r->end;
        }
        if (r->begin >= begin && r->end <= end) {
            *link = r->next;
            free(r);
            continue;
        }
        if (r->begin < begin && r->end > begin)
            r->end = begin;
        else if (r->begin >= begin)
            r->begin = end;
        link = &r->next;
    }
    p->svm = head;
    return end;
}

static void forget(kfd_process_t *p, uint64_t begin, uint64_t end)
{
    end = forget_ranges(p, begin, end);
    for (uint32_t i = 0; i < p->n_gpus; i++) {
        for (const extent_t *e = p->gpus[i].svm; e; e = e->next)
            if (e->begin < end && begin < e->end)
                kfd_smi_unmapped(&p->gpus[i], e->begin > begin ? e->begin : begin,
                                 e->end < end ? e->end : end);
        cut(&p->gpus[i], begin, end);
    }
}

void kfd_svm_forget(kfd_process_t *p, uint64_t begin, uint64_t bytes)
{
    if (!p->svm || inside || begin + bytes < begin) return;
    begin_work(p);
    forget(p, begin, begin + bytes);
    end_work(p);
}

/* ---- the ioctl ---- */

/* Whether `where` is a valid location: the host, a GPU, or undefined. */
static bool is_location(kfd_process_t *p, uint32_t where)
{
    return where == KFD_IOCTL_SVM_LOCATION_SYSMEM || where == KFD_IOCTL_SVM_LOCATION_UNDEFINED ||
           kfd_gpu_find(p, where);
}

static int check(kfd_process_t *p, const struct kfd_ioctl_svm_attribute *attrs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        bool good = false;
        switch (attrs[i].type) {
        case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC: good = is_location(p, attrs[i].value); break;
        case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
            good = attrs[i].value != KFD_IOCTL_SVM_LOCATION_UNDEFINED &&
                   is_location(p, attrs[i].value);
            break;
        case KFD_IOCTL_SVM_ATTR_ACCESS:
        case KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE:
        case KFD_IOCTL_SVM_ATTR_NO_ACCESS: good = kfd_gpu_find(p, attrs[i].value) != NULL; break;
        case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
        case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
        case KFD_IOCTL_SVM_ATTR_GRANULARITY: good = true; break;
        default: break;
        }
        if (!good) return -EINVAL;
    }
    return 0;
}

static void change(kfd_process_t *p, attributes_t *a, const struct kfd_ioctl_svm_attribute *attr)
{
    const kfd_gpu_t *gpu = kfd_gpu_find(p, attr->value);
    uint32_t bit = gpu ? 1u << gpu->index : 0;
    switch (attr->type) {
    case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC: a->preferred = attr->value; break;
    case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC: a->prefetched = attr->value; break;
    case KFD_IOCTL_SVM_ATTR_ACCESS:
        a->access |= bit;
        a->in_place &= ~bit;
        break;
    case KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE:
        a->access &= ~bit;
        a->in_place |= bit;
        break;
    case KFD_IOCTL_SVM_ATTR_NO_ACCESS:
        a->access &= ~bit;
        a->in_place &= ~bit;
        break;
    case KFD_IOCTL_SVM_ATTR_SET_FLAGS: a->flags |= attr->value; break;
    case KFD_IOCTL_SVM_ATTR_CLR_FLAGS: a->flags &= ~attr->value; break;
    case KFD_IOCTL_SVM_ATTR_GRANULARITY:
        a->granularity = attr->value < MAX_GRANULARITY ? attr->value : MAX_GRANULARITY;
        break;
    default: break;
    }
}

/* Raises the events of a migration on the GPU that the range comes from or goes to. */
static void raise_step(kfd_process_t *p, const range_t *r, uint32_t gpu_id, uint32_t from,
                       uint32_t to)
{
    const kfd_gpu_t *gpu = kfd_gpu_find(p, gpu_id);
    kfd_smi_migration_t m = {r->begin, r->end, from, to, r->a.prefetched, r->a.preferred};
    if (!gpu) return;
    kfd_smi_migrate(gpu, true, &m);
    kfd_smi_migrate(gpu, false, &m);
}

/* Moves a range to where it has been prefetched; from one GPU to another by way of the host. */
static void migrate(kfd_process_t *p, range_t *r)
{
    const uint32_t host = KFD_IOCTL_SVM_LOCATION_SYSMEM, from = r->a.location;
    const uint32_t to = r->a.prefetched;
    if (to == from || to == KFD_IOCTL_SVM_LOCATION_UNDEFINED) return;
    if (from != host) raise_step(p, r, from, from, host);
    if (to != host) raise_step(p, r, to, host, to);
    r->a.location = to;
}

/* Whether one of the driver's buffers is at these addresses, which SVM then cannot use. */
static bool is_taken(const kfd_process_t *p, uint64_t begin, uint64_t end)
{
    for (size_t i = 0; i < p->n_buffers; i++) {
        const kfd_buffer_t *b = &p->buffers[i];
        if (b->used && b->va && b->va < end && begin < b->va + b->size) return true;
    }
    return false;
}

static int check_range(const kfd_process_t *p, uint64_t begin, uint64_t end)
{
    if (is_taken(p, begin, end)) return -EADDRINUSE;
    return kfd_is_mapped(begin, end - begin) ? 0 : -EFAULT;
}

static int set(kfd_process_t *p, uint64_t begin, uint64_t end,
               const struct kfd_ioctl_svm_attribute *attrs, uint32_t n)
{
    int error = check(p, attrs, n);
    if (error == 0) error = check_range(p, begin, end);
    if (error == 0) error = split(p, begin);
    if (error == 0) error = split(p, end);
    if (error == 0) error = fill(p, begin, end);
    for (range_t *r = p->svm; r && r->begin < end && error == 0; r = r->next) {
        if (r->begin < begin) continue;
        for (uint32_t i = 0; i < n; i++)
            change(p, &r->a, &attrs[i]);
        error = apply(p, r);
        if (error == 0) migrate(p, r);
    }
    merge(p);
    return error;
}

/* The values of the attributes that hold for every range in [begin, end). *any: flags that at least
 * one of the ranges has. */
static attributes_t combine(const kfd_process_t *p, uint64_t begin, uint64_t end, uint32_t *any)
{
    attributes_t all = default_attributes();
    bool first = true;
    *any = all.flags;
    for (const range_t *r = p->svm; r && r->begin < end; r = r->next) {
        if (r->end <= begin) continue;
        if (first) {
            all = r->a;
            *any = r->a.flags;
            first = false;
            continue;
        }
        if (r->a.preferred != all.preferred) all.preferred = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
        if (r->a.prefetched != all.prefetched) all.prefetched = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
        if (r->a.granularity < all.granularity) all.granularity = r->a.granularity;
        all.access &= r->a.access | r->a.in_place;
        all.access |= all.in_place & r->a.access;
        all.in_place &= r->a.in_place;
        all.flags &= r->a.flags;
        *any |= r->a.flags;
    }
    return all;
}

static int get(kfd_process_t *p, uint64_t begin, uint64_t end,
               struct kfd_ioctl_svm_attribute *attrs, uint32_t n)
{
    uint32_t any;
    const int error = check_range(p, begin, end);
    if (error != 0) return error;
    const attributes_t a = combine(p, begin, end, &any);
    for (uint32_t i = 0; i < n; i++) {
        const kfd_gpu_t *gpu;
        switch (attrs[i].type) {
        case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC: attrs[i].value = a.preferred; break;
        case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC: attrs[i].value = a.prefetched; break;
        case KFD_IOCTL_SVM_ATTR_ACCESS: /* the answer is the type of the attribute */
            gpu = kfd_gpu_find(p, attrs[i].value);
            if (!gpu) return -EINVAL;
            attrs[i].type = a.in_place & 1u << gpu->index ? KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE
                            : a.access & 1u << gpu->index ? KFD_IOCTL_SVM_ATTR_ACCESS
                                                          : KFD_IOCTL_SVM_ATTR_NO_ACCESS;
            break;
        case KFD_IOCTL_SVM_ATTR_SET_FLAGS: attrs[i].value = a.flags; break;
        case KFD_IOCTL_SVM_ATTR_CLR_FLAGS: attrs[i].value = ~any; break;
        case KFD_IOCTL_SVM_ATTR_GRANULARITY: attrs[i].value = a.granularity; break;
        default: return -EINVAL;
        }
    }
    return 0;
}

int kfd_svm(kfd_process_t *p, struct kfd_ioctl_svm_args *args, size_t bytes)
{
    uint64_t begin = args->start_addr, end = begin + args->size;
    if (bytes < sizeof(*args) ||
        args->nattr > (bytes - sizeof(*args)) / sizeof(struct kfd_ioctl_svm_attribute) ||
        (begin | end) % KFD_PAGE || begin == 0 || end <= begin)
        return -EINVAL;
    int error = -EINVAL;
    pthread_mutex_lock(&p->lock); /* for is_taken(), which searches the buffers */
    begin_work(p);
    if (args->op == KFD_IOCTL_SVM_OP_SET_ATTR)
        error = set(p, begin, end, args->attrs, args->nattr);
    else if (args->op == KFD_IOCTL_SVM_OP_GET_ATTR)
        error = get(p, begin, end, args->attrs, args->nattr);
    end_work(p);
    pthread_mutex_unlock(&p->lock);
    return error;
}
