/* names.c - see names.h. Names are sorted, so that equal ones are adjacent. */
#include "results/names.h"

#include <stdlib.h>
#include <string.h>

#include "trace/names.h"

static int by_name(const void *left, const void *right)
{
    return strcmp((*(res_name_t *const *)left)->name, (*(res_name_t *const *)right)->name);
}

static int by_brief(const void *left, const void *right)
{
    return strcmp((*(res_name_t *const *)left)->brief, (*(res_name_t *const *)right)->brief);
}

typedef int (*compare_t)(const void *left, const void *right);

/* Calls `tell` for each name that is equal to another. */
static bool each_common(res_name_t **sorted, size_t count, compare_t compare,
                        bool (*tell)(res_name_t *n, const void *data), const void *data)
{
    bool done = true;
    if (count) qsort(sorted, count, sizeof(*sorted), compare);
    for (size_t i = 0, end; done && i < count; i = end) {
        for (end = i + 1; end < count && compare(&sorted[i], &sorted[end]) == 0;)
            end++;
        for (size_t k = i; done && end - i > 1 && k < end; k++)
            done = tell(sorted[k], data);
    }
    return done;
}

static bool rename_kernel(res_name_t *n, const void *form)
{
    char *name = trace_kernel_name(n->symbol, *(const trace_names_t *)form);
    if (!name) return false;
    free(n->name);
    n->name = name;
    return true;
}

static bool mark(res_name_t *n, const void *data)
{
    (void)data;
    return n->common = true;
}

bool res_names_apart(res_name_t *names, size_t count)
{
    static const trace_names_t longer[] = {TRACE_NAMES_DEMANGLED, TRACE_NAMES_MANGLED};
    res_name_t **sorted = calloc(count + 1, sizeof(*sorted));
    bool done = sorted;
    for (size_t i = 0; done && i < count; i++) {
        sorted[i] = &names[i];
        names[i].brief = trace_kernel_name(names[i].symbol, TRACE_NAMES_TRUNCATED);
        done = names[i].brief && names[i].name;
    }
    for (size_t i = 0; done && i < 2; i++)
        done = each_common(sorted, count, by_name, rename_kernel, &longer[i]);
    done = done && each_common(sorted, count, by_brief, mark, NULL);
    free(sorted);
    return done;
}
