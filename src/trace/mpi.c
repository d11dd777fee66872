/* mpi.c - see mpi.h. A new value of the record is a row of `values`; a new function is a row of
 * mpi.tsv. */
#include "trace/mpi.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static const trace_mpi_function_t functions[] = {
#define FUNCTION(name, class, collective)                                                          \
    {"MPI_" #name, TRACE_MPI_##class, TRACE_MPI_OP_##collective},
#include "trace/mpi_functions.inc"
};

enum { FUNCTIONS = sizeof(functions) / sizeof(*functions) };

const trace_mpi_function_t *trace_mpi_function(uint32_t operation)
{
    return operation < FUNCTIONS ? &functions[operation] : NULL;
}

const trace_mpi_function_t *trace_mpi_find(const char *name)
{
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strcmp(functions[i].name, name) == 0) return &functions[i];
    return NULL;
}

uint32_t trace_mpi_number(const trace_mpi_function_t *function)
{
    return (uint32_t)(function - functions);
}

/* ---- the ranks or requests that follow a record ---- */

static size_t bytes_behind(const trace_mpi_t *r)
{
    const size_t bytes = trace_words(r->call.head) * 8u;
    return bytes > sizeof(*r) ? bytes - sizeof(*r) : 0;
}

static uint32_t count_present(const trace_mpi_t *r, size_t unit)
{
    const size_t most = bytes_behind(r) / unit;
    return r->count < most ? r->count : (uint32_t)most;
}

const trace_mpi_done_t *trace_mpi_done(const trace_mpi_t *r, uint32_t *count)
{
    *count = r->made ? 0 : count_present(r, sizeof(trace_mpi_done_t));
    return (const trace_mpi_done_t *)(r + 1);
}

const uint32_t *trace_mpi_members(const trace_mpi_t *r, uint32_t *count)
{
    *count = r->made ? count_present(r, sizeof(uint32_t)) : 0;
    return (const uint32_t *)(r + 1);
}

size_t trace_mpi_rest_bytes(const trace_mpi_t *r)
{
    const size_t bytes = r->count * (r->made ? sizeof(uint32_t) : sizeof(trace_mpi_done_t));
    return (bytes + 7) / 8 * 8;
}

/* ---- values as texts ---- */

void trace_mpi_communicator(uint64_t id, char text[32])
{
    static const char *const fixed[] = {"", "MPI_COMM_WORLD", "MPI_COMM_SELF"};
    if (id < sizeof(fixed) / sizeof(*fixed))
        snprintf(text, 32, "%s", fixed[id]);
    else
        snprintf(text, 32, "0x%016" PRIx64, id);
}

static bool read_communicator(const char *text, uint64_t *id)
{
    char *end;
    *id = strcmp(text, "MPI_COMM_WORLD") == 0  ? TRACE_MPI_WORLD
          : strcmp(text, "MPI_COMM_SELF") == 0 ? TRACE_MPI_SELF
                                               : strtoull(text, &end, 16);
    return *id != 0;
}

typedef enum { COMMUNICATOR, NUMBER, RANK, TAG, MEMBERS, DONE } form_t;

static const struct {
    const char *name, *type;
    form_t form;
    size_t offset;
} values[] = {
#define VALUE(form, member, type, name) {name, type, form, offsetof(trace_mpi_t, member)},
    VALUE(COMMUNICATOR, communicator, "MPI_Comm", "communicator") /* */
    VALUE(RANK, rank, "int", "rank")                              /* */
    VALUE(RANK, size, "int", "size")                              /* */
    VALUE(RANK, root, "int", "root")                              /* */
    VALUE(RANK, destination, "int", "destination")                /* */
    VALUE(TAG, send_tag, "int", "send_tag")                       /* */
    VALUE(NUMBER, sent, "size_t", "bytes_sent")                   /* */
    VALUE(RANK, source, "int", "source")                          /* */
    VALUE(TAG, receive_tag, "int", "receive_tag")                 /* */
    VALUE(NUMBER, received, "size_t", "bytes_received")           /* */
    VALUE(NUMBER, request, "MPI_Request", "request")              /* */
    VALUE(COMMUNICATOR, made, "MPI_Comm", "new_communicator")     /* */
    VALUE(MEMBERS, count, "int[]", "members")                     /* */
    VALUE(DONE, count, "MPI_Status[]", "completed")               /* */
#undef VALUE
};

enum { VALUES = sizeof(values) / sizeof(*values), DONE_TEXT = 128, MEMBER_TEXT = 40 };

static const char *const places[] = {"", "none", "any", "null"}; /* indexed by -TRACE_MPI_NONE */
static const char kinds[] = "rsc"; /* indexed by trace_mpi_request_t */

static void *member(const trace_mpi_t *r, size_t offset)
{
    return (char *)(uintptr_t)r + offset;
}

static char *room_for(trace_mpi_values_t *v, size_t bytes)
{
    return BASE_RESERVE(v->text, bytes, &v->room) ? v->text : NULL;
}

/* Writes ranks as a list of single numbers and of FIRST-LAST:STEP. */
static bool write_members(trace_mpi_values_t *v)
{
    uint32_t count;
    const uint32_t *members = trace_mpi_members(v->record, &count);
    char *at = room_for(v, (count + 1) * (size_t)MEMBER_TEXT);
    if (!at) return false;
    *at = 0;
    for (uint32_t i = 0, last; i < count; i = last + 1) {
        last = i;
        const uint32_t step = i + 1 < count ? members[i + 1] - members[i] : 0;
        while (step && step < UINT32_MAX / 2 && last + 1 < count &&
               members[last + 1] - members[last] == step)
            last++;
        if (last - i < 2) last = i;
        at += sprintf(at, "%s%" PRIu32, i ? " " : "", members[i]);
        if (last > i) at += sprintf(at, "-%" PRIu32, members[last]);
        if (last > i && step > 1) at += sprintf(at, ":%" PRIu32, step);
    }
    return true;
}

static void put_place(char *text, size_t room, int32_t value)
{
    if (value < 0 && value >= TRACE_MPI_NULL)
        snprintf(text, room, "%s", places[-value]);
    else
        snprintf(text, room, "%" PRId32, value);
}

/* Writes KIND:REQUEST:COMMUNICATOR:PEER:TAG:BYTES for each request. */
static bool write_done(trace_mpi_values_t *v)
{
    uint32_t count;
    const trace_mpi_done_t *done = trace_mpi_done(v->record, &count);
    char *at = room_for(v, (count + 1) * (size_t)DONE_TEXT);
    if (!at) return false;
    *at = 0;
    for (uint32_t i = 0; i < count; i++) {
        char communicator[32], peer[16], tag[16];
        trace_mpi_communicator(done[i].communicator, communicator);
        put_place(peer, sizeof(peer), done[i].peer);
        put_place(tag, sizeof(tag), done[i].tag);
        at += sprintf(at, "%s%c:%" PRIu64 ":%s:%s:%s:%" PRIu64, i ? " " : "",
                      kinds[done[i].kind % (sizeof(kinds) - 1)], done[i].request, communicator,
                      peer, tag, done[i].bytes);
    }
    return true;
}

/* Writes the value number `i` of the record as text. Returns false if the record has no such value,
 * or if there is no memory for the text. */
static bool write_value(trace_mpi_values_t *v, unsigned i)
{
    const trace_mpi_t *r = v->record;
    const void *at = member(r, values[i].offset);
    const bool number = values[i].form == COMMUNICATOR || values[i].form == NUMBER;
    uint64_t wide = 0;
    int32_t narrow = 0;
    memcpy(number ? (void *)&wide : (void *)&narrow, at, number ? sizeof(wide) : sizeof(narrow));
    if (number ? !wide : narrow == TRACE_MPI_NONE) return false;
    if (values[i].form == MEMBERS) return r->made && r->count && write_members(v);
    if (values[i].form == DONE) return !r->made && r->count && write_done(v);
    if (!room_for(v, 64)) return false;
    if (values[i].form == COMMUNICATOR)
        trace_mpi_communicator(wide, v->text);
    else if (values[i].form == NUMBER)
        snprintf(v->text, v->room, "%" PRIu64, wide);
    else
        put_place(v->text, v->room, narrow);
    return true;
}

bool trace_mpi_next(trace_mpi_values_t *v)
{
    while (v->next < VALUES) {
        const unsigned i = v->next++;
        if (!write_value(v, i)) continue;
        v->type = values[i].type;
        v->name = values[i].name;
        return true;
    }
    return false;
}

void trace_mpi_values_free(trace_mpi_values_t *v)
{
    free(v->text);
    v->text = NULL;
    v->room = 0;
}

/* ---- texts as values ---- */

static bool read_place(const char *text, int32_t *value)
{
    char *end;
    for (int i = 1; i < (int)(sizeof(places) / sizeof(*places)); i++)
        if (strcmp(text, places[i]) == 0) {
            *value = -i;
            return true;
        }
    const long number = strtol(text, &end, 10);
    *value = (int32_t)number;
    return end != text && !*end && number == *value;
}

static bool read_members(trace_mpi_t *r, const char *text, uint32_t *to, size_t most)
{
    r->count = 0;
    most -= most % 2; /* the record must end at a word of 8 bytes */
    while (*text) {
        char *end;
        const unsigned long first = strtoul(text, &end, 10);
        unsigned long last = first, step = 1;
        if (end == text || first > INT32_MAX) return false;
        if (*end == '-') last = strtoul(end + 1, &end, 10);
        if (*end == ':') step = strtoul(end + 1, &end, 10);
        if (!step || last > INT32_MAX || (*end && *end != ' ')) return false;
        for (unsigned long at = first; at <= last && r->count < most; at += step)
            to[r->count++] = (uint32_t)at;
        text = end + (*end == ' ');
    }
    if (r->count % 2) to[r->count] = 0;
    return true;
}

static bool read_one_done(const char *text, size_t bytes, trace_mpi_done_t *to)
{
    char copy[DONE_TEXT], *word, *at = copy;
    const char *words[6];
    if (bytes >= sizeof(copy)) return false;
    memcpy(copy, text, bytes);
    copy[bytes] = 0;
    for (int i = 0; i < 6; i++)
        if (!(word = strsep(&at, ":")))
            return false;
        else
            words[i] = word;
    const char *kind = words[0][0] && !words[0][1] ? strchr(kinds, words[0][0]) : NULL;
    if (!kind || !read_place(words[3], &to->peer) || !read_place(words[4], &to->tag)) return false;
    if (*words[2]) read_communicator(words[2], &to->communicator);
    to->kind = (uint32_t)(kind - kinds);
    to->request = strtoull(words[1], NULL, 10);
    to->bytes = strtoull(words[5], NULL, 10);
    return true;
}

static bool read_done(trace_mpi_t *r, const char *text, trace_mpi_done_t *to, size_t most)
{
    r->count = 0;
    for (size_t bytes; *text; text += bytes + (text[bytes] == ' ')) {
        bytes = strcspn(text, " ");
        if (r->count == most) return true;
        to[r->count] = (trace_mpi_done_t){0};
        if (!read_one_done(text, bytes, &to[r->count])) return false;
        r->count++;
    }
    return true;
}

bool trace_mpi_set(trace_mpi_t *r, const char *name, const char *text, void *rest, size_t room)
{
    unsigned i = 0;
    while (i < VALUES && (*values[i].name != *name || strcmp(values[i].name, name) != 0))
        i++;
    if (i == VALUES) return false;
    void *at = member(r, values[i].offset);
    uint64_t wide;
    int32_t narrow;
    switch (values[i].form) {
    case MEMBERS: return read_members(r, text, rest, room / sizeof(uint32_t));
    case DONE: return read_done(r, text, rest, room / sizeof(trace_mpi_done_t));
    case COMMUNICATOR:
        if (!read_communicator(text, &wide)) return false;
        memcpy(at, &wide, sizeof(wide));
        return true;
    case NUMBER:
        wide = strtoull(text, NULL, 10);
        memcpy(at, &wide, sizeof(wide));
        return true;
    case RANK:
    case TAG:
        if (!read_place(text, &narrow)) return false;
        memcpy(at, &narrow, sizeof(narrow));
        return true;
    }
    return false;
}
