/* look_up.c - see look_up.h. */
#include "base/look_up.h"

#include "base/object.h"

typedef enum { OWN, BEHIND, OTHER } where_t;

typedef struct {
    const char *name;
    where_t where;
    bool passed;
    void *found;
} search_t;

/* dl_iterate_phdr goes through the libraries in the order in which the loader searches them. */
static int look_into(struct dl_phdr_info *info, size_t size, void *data)
{
    search_t *s = data;
    base_object_t o;
    (void)size;
    if (!base_object_read(&o, info)) return 0;
    const bool own = base_object_part(&o, PT_LOAD, (uintptr_t)look_into);
    s->passed |= own;
    if (own != (s->where == OWN) || (s->where == BEHIND && !s->passed)) return 0;
    const ElfW(Sym) *symbol = base_object_definition(&o, s->name);
    if (symbol) s->found = (void *)(o.base + symbol->st_value);
    return s->found != NULL;
}

static void *search(const char *name, where_t where)
{
    search_t s = {.name = name, .where = where};
    dl_iterate_phdr(look_into, &s);
    return s.found;
}

void *base_own_definition(const char *name)
{
    return search(name, OWN);
}

/* A library that dlopen has loaded after the program's start is the last in the order: none
 * is behind it. */
static void *next_definition(const char *name)
{
    void *found = search(name, BEHIND);
    return found ? found : search(name, OTHER);
}

void *base_next_definition(_Atomic(void *) *slot, const char *name)
{
    void *found = atomic_load_explicit(slot, memory_order_relaxed);
    if (found) return found;
    found = next_definition(name);
    atomic_store_explicit(slot, found, memory_order_relaxed);
    return found;
}
