/* answers.c - answers of libamd_comgr that depend on little, kept on disk: about the name of a
 * target, and about the head of a code object.
 *
 * There is no lock, which a child of a process with several threads could find held for ever. */
#include "softgpu/compiled/key.h"
#include "softgpu/compiled/objects.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* ---- kept answers ---- */

/* An answer that this process has had before; there are few, which stay. */
typedef struct answer {
    struct answer *next;
    sg_compiled_key_t key;
    sg_buffer_t *buffer;
    size_t size;
} answer_t;

static _Atomic(answer_t *) answers;

static sg_compiled_key_t key_of(const char *question, const void *about, size_t size)
{
    sg_key_hash_t hash;
    sg_key_begin(&hash, sg_compiler_key());
    sg_key_add(&hash, question, strlen(question) + 1);
    sg_key_add(&hash, about, size);
    return sg_key_end(&hash);
}

static const answer_t *remember(sg_compiled_key_t key, const char *bytes, size_t size)
{
    answer_t *a = calloc(1, sizeof *a);
    sg_buffer_t *buffer = a ? sg_buffer_new(size) : NULL;
    if (!buffer) {
        free(a);
        return NULL;
    }
    if (size) memcpy(buffer->bytes, bytes, size);
    *a = (answer_t){atomic_load(&answers), key, buffer, size};
    while (!atomic_compare_exchange_weak(&answers, &a->next, a))
        continue; /* another thread has added one */
    return a;
}

/* The kept answer; NULL: there is none. */
static const answer_t *recall(sg_compiled_key_t key)
{
    const answer_t *a = atomic_load(&answers);
    while (a && !sg_key_equal(a->key, key))
        a = a->next;
    if (a) return a;
    size_t size;
    char *bytes = sg_compiled_read(key, &size);
    if (bytes)
        a = remember(key, bytes, size); /* other threads may do so, too, with equal answers */
    free(bytes);
    return a;
}

/* ---- targets ---- */

bool sg_target_is_known(const char *name)
{
    const sg_compiled_key_t key = key_of("is a target", name, strlen(name));
    info_t info;
    if (recall(key)) return true;
    if (sg_comgr()->create_action_info(&info) != SG_SUCCESS) return false;
    const bool known = sg_comgr()->action_info_set_isa_name(info, name) == SG_SUCCESS;
    sg_comgr()->destroy_action_info(info);
    if (known) sg_compiled_write(key, "", 1);
    return known;
}

int amd_comgr_get_isa_metadata(const char *isa, node_handle_t *node)
{
    if (!isa || !node) return sg_comgr()->get_isa_metadata(isa, node);
    const sg_compiled_key_t key = key_of("what a target is", isa, strlen(isa));
    const answer_t *a = recall(key);
    if (a && sg_notes_take(a->buffer, a->buffer->bytes, a->size, node)) return SG_SUCCESS;
    const int status = sg_comgr()->get_isa_metadata(isa, node);
    sg_compiled_bytes_t bytes = {0};
    if (status == SG_SUCCESS && sg_notes_write(*node, &bytes))
        sg_compiled_write(key, bytes.bytes, bytes.size);
    free(bytes.bytes);
    return status;
}

/* ---- the target of a code object ---- */

/* Copies what the name of its target follows from, in a code object of version 4 or newer. False:
 * it is no such object, or not a whole one. */
static bool head_of(const sg_data_t *d, Elf64_Ehdr *head)
{
    enum { VERSION_4 = 2, ABI_HSA = 64 };
    dis_pack_t pack;
    if (!d || d->kind != SG_EXECUTABLE || !d->bytes ||
        dis_pack_find((const uint8_t *)d->bytes, d->size, &pack) != 1)
        return false;
    Elf64_Ehdr all;
    memcpy(&all, d->bytes, sizeof all);
    memset(head, 0, sizeof *head);
    memcpy(head->e_ident, all.e_ident, sizeof head->e_ident);
    head->e_type = all.e_type;
    head->e_machine = all.e_machine;
    head->e_flags = all.e_flags;
    return all.e_ident[EI_OSABI] == ABI_HSA && all.e_ident[EI_ABIVERSION] >= VERSION_4;
}

/* Has libamd_comgr say the name, and keeps it. */
static void ask_for_name(sg_compiled_key_t key, data_t data)
{
    size_t size = 0;
    char name[256];
    if (sg_comgr()->get_data_isa_name(data, &size, NULL) == SG_SUCCESS && size <= sizeof name &&
        sg_comgr()->get_data_isa_name(data, &size, name) == SG_SUCCESS)
        sg_compiled_write(key, name, size);
}

int amd_comgr_get_data_isa_name(data_t data, size_t *size, char *name)
{
    Elf64_Ehdr head;
    if (size && head_of(sg_own_data(data), &head)) {
        const sg_compiled_key_t key = key_of("target of a code object", &head, sizeof head);
        const answer_t *a = recall(key);
        if (a && !name) *size = a->size;
        if (a && name && *size <= a->size) memcpy(name, a->buffer->bytes, *size);
        if (a && (!name || *size <= a->size)) return SG_SUCCESS;
        if (!a) ask_for_name(key, sg_give_up_data(data));
    }
    return sg_comgr()->get_data_isa_name(sg_give_up_data(data), size, name);
}
