/* translate_compiler.c - what softgpu-translator is asked: to keep a library, to compile. One
 * thread at a time uses this file, the one that translates. */
#include "softgpu/exec/translate_internal.h"

#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names of a library's functions, sorted. */
typedef struct {
    const char **name;
    size_t names;
} functions_t;

static struct {
    bool given[TRANSLATOR_LIBRARIES]; /* to the process that runs */
    functions_t functions[TRANSLATOR_LIBRARIES];
    const functions_t *open;
} state;

/* Sends a request with two pieces behind it, and returns the answer, to be freed. NULL: a line was
 * logged that says why, or the process has ended. */
static char *ask(translator_request_t r, const void *first, const void *second, size_t second_bytes,
                 size_t *size)
{
    translator_reply_t reply;
    const size_t first_bytes = (size_t)r.bytes - second_bytes;
    char *answer = NULL;
    const bool whole = isa_process_send(&r, sizeof r) && isa_process_send(first, first_bytes) &&
                       isa_process_send(second, second_bytes) &&
                       isa_process_receive(&reply, sizeof reply) &&
                       reply.bytes <= TRANSLATOR_MOST && (answer = malloc(reply.bytes + 1)) &&
                       isa_process_receive(answer, reply.bytes);
    if (!whole) {
        isa_process_end();
    } else {
        answer[reply.bytes] = '\0';
        *size = reply.bytes;
        isa_share_add(reply.time_e6);
        if (!reply.failed) return answer;
        base_warning("translator: %s", answer);
    }
    free(answer);
    return NULL;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Notes the functions, whose names are side by side, each with its zero, and stay there. The list
 * is whole before it is noted, since the program may fork at any moment. */
static bool note_functions(functions_t *f, const char *names, size_t size)
{
    size_t n = 0;
    for (const char *c = names; c < names + size; c += strlen(c) + 1)
        n++;
    const char **name = calloc(n ? n : 1, sizeof *name);
    if (!name) return false;
    n = 0;
    for (const char *c = names; c < names + size; c += strlen(c) + 1)
        name[n++] = c;
    qsort(name, n, sizeof *name, compare);
    f->names = n;
    __atomic_store_n(&f->name, name, __ATOMIC_RELEASE);
    return true;
}

/* Gives the process the library's bitcode, and notes its functions, unless an earlier process has
 * told them. */
static bool give(const isa_library_t *library, uint32_t number)
{
    functions_t *f = &state.functions[number];
    translator_request_t r = {.kind = TRANSLATOR_LIBRARY,
                              .library = number,
                              .bytes = (uint64_t)(library->behind - library->bitcode),
                              .level = isa_library_level};
    size_t size;
    snprintf(r.cpu, sizeof r.cpu, "%s", library->cpu);
    char *names = ask(r, library->bitcode, NULL, 0, &size);
    if (!names) return false;
    if (!f->name && note_functions(f, names, size)) return true;
    free(names);
    return f->name != NULL;
}

isa_refused_t isa_compiler_open(const isa_library_t *library)
{
    const uint32_t number = isa_library_number(library);
    bool begun;
    const isa_refused_t why = isa_process_begin(&begun);
    if (why) return why;
    if (begun) memset(state.given, 0, sizeof state.given);
    state.open = &state.functions[number];
    if (!state.given[number]) state.given[number] = give(library, number);
    return state.given[number] ? ISA_REFUSED_NOT : ISA_REFUSED_FAILED;
}

bool isa_compiler_has(const char *name)
{
    const functions_t *f = state.open;
    return bsearch(&name, f->name, f->names, sizeof *f->name, compare) != NULL;
}

void *isa_compiler_compile(const isa_library_t *library, const char *text, size_t *size)
{
    enum { TRIES = 2 }; /* the process may have ended since it was last asked */
    const size_t passes = strlen(isa_library_passes) + 1, bytes = strlen(text);
    const translator_request_t r = {.kind = TRANSLATOR_COMPILE,
                                    .library = isa_library_number(library),
                                    .bytes = passes + bytes};
    for (unsigned n = 0; n < TRIES && !isa_compiler_open(library); n++) {
        void *object = ask(r, isa_library_passes, text, bytes, size);
        if (object || isa_process_id()) return object;
    }
    base_warning("translator: " TRANSLATOR_PROGRAM " has ended");
    return NULL;
}
