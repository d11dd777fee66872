/* code.c - see code.h. Instructions are in a hash table by code object and offset, under one lock:
 * most samples are of few instructions. */
#include "model/code.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "trace/att.h"
#include "trace/store.h"

enum { TEXT_BYTES = 256, LINE_BYTES = 1024, FIRST_ROOM = 256 };

typedef struct {
    const trace_code_object_t *record;
    dis_object_t *object; /* NULL: the code object is not in the store, or cannot be read */
    bool opened;
} object_t;

typedef struct {
    uint64_t object, offset;
    out_instruction_t *instruction; /* NULL: there is no instruction at this offset */
    bool used;
} place_t;

struct out_code {
    char *store;
    pthread_mutex_t lock; /* guards all following members */
    object_t *objects;
    size_t object_count;
    place_t *places; /* a hash table; its size is a power of two */
    size_t place_count, place_room;
};

out_code_t *out_code_open(const out_model_t *model, const char *store)
{
    out_code_t *c = calloc(1, sizeof(*c));
    if (!c) return NULL;
    pthread_mutex_init(&c->lock, NULL);
    c->store = strdup(store);
    c->object_count = model->code_object_count;
    c->objects = calloc(c->object_count + 1, sizeof(*c->objects));
    c->places = calloc(FIRST_ROOM, sizeof(*c->places));
    c->place_room = FIRST_ROOM;
    if (!c->store || !c->objects || !c->places) {
        out_code_close(c);
        return NULL;
    }
    for (size_t i = 0; i < c->object_count; i++)
        c->objects[i].record = model->code_objects[i];
    return c;
}

void out_code_close(out_code_t *c)
{
    if (!c) return;
    for (size_t i = 0; c->objects && i < c->object_count; i++)
        dis_object_close(c->objects[i].object);
    for (size_t i = 0; c->places && i < c->place_room; i++)
        free(c->places[i].instruction);
    pthread_mutex_destroy(&c->lock);
    free(c->places);
    free(c->objects);
    free(c->store);
    free(c);
}

/* ---- objects ---- */

dis_object_t *out_code_object_open(const char *store, uint64_t id)
{
    char name[64], path[PATH_MAX];
    dis_object_t *object = NULL;
    size_t size;
    snprintf(name, sizeof(name), TRACE_ATT_CODE_FORMAT, id);
    if (trace_join(path, sizeof(path), store, name) != 0) return NULL;
    char *data = base_file_read(path, SIZE_MAX, &size);
    if (data) dis_object_open(data, size, &object);
    free(data);
    return object;
}

/* ---- code objects; called with the lock held ---- */

static object_t *object_of(const out_code_t *c, uint64_t id)
{
    for (size_t i = 0; i < c->object_count; i++) {
        object_t *o = &c->objects[i];
        if (o->record->id != id) continue;
        if (!o->opened) o->object = out_code_object_open(c->store, id);
        o->opened = true;
        return o->object ? o : NULL;
    }
    return NULL;
}

static out_instruction_t *disassemble(const out_code_t *c, uint64_t id, uint64_t offset)
{
    char text[TEXT_BYTES], line[LINE_BYTES] = "";
    uint64_t bytes;
    const char *file;
    uint32_t number;
    const object_t *o = object_of(c, id);
    if (!o) return NULL;
    /* the address as the file has it */
    const uint64_t address = o->record->load_base + offset - (uint64_t)o->record->load_delta;
    if (!dis_object_text(o->object, address, text, sizeof(text), &bytes)) return NULL;
    if (dis_object_line(o->object, address, &file, &number))
        snprintf(line, sizeof(line), "%s:%" PRIu32, file, number);
    const size_t text_bytes = strlen(text) + 1, line_bytes = strlen(line) + 1;
    out_instruction_t *made = malloc(sizeof(*made) + text_bytes + line_bytes);
    if (!made) return NULL;
    char *texts = (char *)(made + 1);
    memcpy(texts, text, text_bytes);
    memcpy(texts + text_bytes, line, line_bytes);
    *made = (out_instruction_t){texts, texts + text_bytes, -1};
    return made;
}

/* ---- the hash table; called with the lock held ---- */

static place_t *place_of(place_t *places, size_t room, uint64_t object, uint64_t offset)
{
    size_t at = (size_t)out_mix(offset ^ object << 48) & (room - 1);
    while (places[at].used && (places[at].object != object || places[at].offset != offset))
        at = (at + 1) & (room - 1);
    return &places[at];
}

static bool grow(out_code_t *c)
{
    if (2 * c->place_count < c->place_room) return true;
    const size_t room = 2 * c->place_room;
    place_t *more = calloc(room, sizeof(*more));
    if (!more) return false;
    for (size_t i = 0; i < c->place_room; i++)
        if (c->places[i].used)
            *place_of(more, room, c->places[i].object, c->places[i].offset) = c->places[i];
    free(c->places);
    c->places = more;
    c->place_room = room;
    return true;
}

out_instruction_t *out_code_at(out_code_t *c, uint64_t object, uint64_t offset)
{
    out_instruction_t *found = NULL;
    if (!c || !object) return NULL;
    pthread_mutex_lock(&c->lock);
    if (grow(c)) {
        place_t *place = place_of(c->places, c->place_room, object, offset);
        if (!place->used) {
            *place = (place_t){object, offset, disassemble(c, object, offset), true};
            c->place_count++;
        }
        found = place->instruction;
    }
    pthread_mutex_unlock(&c->lock);
    return found;
}
