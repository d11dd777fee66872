/* objects.c - data objects, sets of them, and descriptions of actions, see objects.h. */
#include "softgpu/compiled/objects.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

/* ---- buffers ---- */

sg_buffer_t *sg_buffer_new(size_t size)
{
    sg_buffer_t *buffer = size < SIZE_MAX / 2 ? malloc(sizeof *buffer + size) : NULL;
    if (buffer) atomic_init(&buffer->holders, 1);
    return buffer;
}

sg_buffer_t *sg_buffer_hold(sg_buffer_t *buffer)
{
    atomic_fetch_add(&buffer->holders, 1);
    return buffer;
}

void sg_buffer_drop(sg_buffer_t *buffer)
{
    if (buffer && atomic_fetch_sub(&buffer->holders, 1) == 1) free(buffer);
}

/* ---- making objects of libamd_comgr ---- */

static data_t copy_data(const sg_data_t *d)
{
    const sg_comgr_t *comgr = sg_comgr();
    data_t copy;
    if (comgr->create_data(d->kind, &copy) != 0) return 0;
    /* libamd_comgr refuses to set no bytes, of which its own logs may consist */
    if ((!d->bytes ||
         comgr->set_data(copy, d->size ? d->size : 1, d->size ? d->bytes : "") == SG_SUCCESS) &&
        (!d->name || comgr->set_data_name(copy, d->name) == SG_SUCCESS))
        return copy;
    comgr->release_data(copy);
    return 0;
}

static bool copy_into(set_t copy, const sg_set_t *set)
{
    const sg_comgr_t *comgr = sg_comgr();
    bool good = true;
    for (size_t i = 0; good && i < set->count; i++) {
        const data_t given_up = set->all[i]->given_up;
        const data_t data = given_up ? given_up : copy_data(set->all[i]);
        good = data && comgr->data_set_add(copy, data) == SG_SUCCESS;
        if (data && !given_up) comgr->release_data(data);
    }
    return good;
}

int sg_execute(int action, const sg_info_t *info, const sg_set_t *from, set_t to)
{
    const sg_comgr_t *comgr = sg_comgr();
    const set_t inputs = sg_copy_set(from);
    const info_t description = sg_copy_info(info);
    int status = SG_NO_RESOURCES;
    if (inputs && description) status = comgr->do_action(action, description, inputs, to);
    if (description) comgr->destroy_action_info(description);
    if (inputs) comgr->destroy_data_set(inputs);
    return status;
}

/* Whoever asked for the addition has been told that it succeeded. If it does not, what is asked of
 * the set fails. */
static bool add(set_t to, const sg_addition_t *addition)
{
    return sg_execute(addition->action, &addition->info, &addition->from, to) == SG_SUCCESS;
}

set_t sg_copy_set(const sg_set_t *set)
{
    set_t copy;
    if (sg_comgr()->create_data_set(&copy) != 0) return 0;
    /* an addition adds the logs, too */
    if (set->addition ? add(copy, set->addition) : copy_into(copy, set)) return copy;
    sg_comgr()->destroy_data_set(copy);
    return 0;
}

static bool copy_options(info_t copy, const sg_info_t *info)
{
    const char **list = calloc(info->option_count + 1, sizeof *list), *at = info->options;
    if (!list) return false;
    for (size_t i = 0; i < info->option_count; i++, at += strlen(at) + 1)
        list[i] = at;
    const int status = sg_comgr()->action_info_set_option_list(copy, list, info->option_count);
    free(list);
    return status == SG_SUCCESS;
}

info_t sg_copy_info(const sg_info_t *info)
{
    const sg_comgr_t *comgr = sg_comgr();
    info_t copy;
    if (comgr->create_action_info(&copy) != 0) return 0;
    if (comgr->action_info_set_language(copy, info->language) == SG_SUCCESS &&
        comgr->action_info_set_logging(copy, info->logging) == SG_SUCCESS &&
        (!info->isa || comgr->action_info_set_isa_name(copy, info->isa) == SG_SUCCESS) &&
        (!info->options || copy_options(copy, info)))
        return copy;
    comgr->destroy_action_info(copy);
    return 0;
}

/* ---- giving up ---- */

data_t sg_give_up_data(data_t handle)
{
    sg_data_t *d = sg_own(handle);
    if (!d) return handle;
    data_t given_up = d->given_up;
    if (given_up) return given_up;
    const data_t copy = copy_data(d);
    if (!copy || atomic_compare_exchange_strong(&d->given_up, &given_up, copy)) return copy;
    sg_comgr()->release_data(copy); /* another thread was faster */
    return given_up;
}

set_t sg_give_up_set(set_t handle)
{
    sg_set_t *set = sg_own(handle);
    if (!set) return handle;
    if (set->given_up) return set->given_up;
    /* the program may have handles of the data objects, which stay the same objects */
    const sg_set_t *from = set->addition ? &set->addition->from : set;
    for (size_t i = 0; i < from->count; i++)
        if (!sg_give_up_data(sg_own_handle(from->all[i]))) return 0;
    set->given_up = sg_copy_set(set);
    if (set->given_up) sg_set_clear(set);
    return set->given_up;
}

info_t sg_give_up_info(info_t handle)
{
    sg_info_t *info = sg_own(handle);
    if (!info) return handle;
    if (!info->given_up) info->given_up = sg_copy_info(info);
    return info->given_up;
}

sg_data_t *sg_own_data(data_t handle)
{
    sg_data_t *d = sg_own(handle);
    return d && !d->given_up ? d : NULL;
}

/* The same for sets and descriptions. */
static sg_set_t *own_set(set_t handle)
{
    sg_set_t *set = sg_own(handle);
    return set && !set->given_up ? set : NULL;
}

static sg_info_t *own_info(info_t handle)
{
    sg_info_t *info = sg_own(handle);
    return info && !info->given_up ? info : NULL;
}

/* ---- data objects ---- */

static bool is_kind(int kind)
{
    return kind > 0 && kind < SG_KINDS;
}

sg_data_t *sg_data_new(int kind)
{
    sg_data_t *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->holders = 1;
    d->kind = kind;
    return d;
}

void sg_data_drop(sg_data_t *d)
{
    if (atomic_fetch_sub(&d->holders, 1) != 1) return;
    if (d->given_up) sg_comgr()->release_data(d->given_up);
    sg_buffer_drop(d->buffer);
    free(d->name);
    free(d);
}

bool sg_data_set_name(sg_data_t *d, const char *name)
{
    char *copy = strdup(name);
    if (!copy) return false;
    free(d->name);
    d->name = copy;
    return true;
}

int amd_comgr_create_data(int kind, data_t *data)
{
    if (!data || !is_kind(kind)) return sg_comgr()->create_data(kind, data);
    const sg_data_t *d = sg_data_new(kind);
    if (!d) return SG_NO_RESOURCES;
    *data = sg_own_handle(d);
    return SG_SUCCESS;
}

int amd_comgr_release_data(data_t data)
{
    sg_data_t *d = sg_own(data);
    if (!d) return sg_comgr()->release_data(data);
    sg_data_drop(d);
    return SG_SUCCESS;
}

int amd_comgr_get_data_kind(data_t data, int *kind)
{
    const sg_data_t *d = sg_own_data(data);
    if (!d || !kind) return sg_comgr()->get_data_kind(sg_give_up_data(data), kind);
    *kind = d->kind;
    return SG_SUCCESS;
}

/* Whether others than the program's one handle hold the object: the key of what is to be added to a
 * set may depend on it. */
static bool is_shared(const sg_data_t *d)
{
    return atomic_load(&d->holders) > 1;
}

int amd_comgr_set_data(data_t data, size_t size, const char *bytes)
{
    sg_data_t *d = sg_own_data(data);
    if (!d || !size || !bytes || is_shared(d))
        return sg_comgr()->set_data(sg_give_up_data(data), size, bytes);
    sg_buffer_t *buffer = sg_buffer_new(size);
    if (!buffer) return SG_NO_RESOURCES;
    memcpy(buffer->bytes, bytes, size);
    sg_buffer_drop(d->buffer);
    d->buffer = buffer;
    d->bytes = buffer->bytes;
    d->size = size;
    return SG_SUCCESS;
}

int amd_comgr_set_data_name(data_t data, const char *name)
{
    sg_data_t *d = sg_own_data(data);
    if (!d || !name || is_shared(d)) return sg_comgr()->set_data_name(sg_give_up_data(data), name);
    return sg_data_set_name(d, name) ? SG_SUCCESS : SG_NO_RESOURCES;
}

int amd_comgr_get_data(data_t data, size_t *size, char *bytes)
{
    const sg_data_t *d = sg_own_data(data);
    if (!d || !d->bytes || !size || (bytes && *size > d->size))
        return sg_comgr()->get_data(sg_give_up_data(data), size, bytes);
    if (bytes)
        memcpy(bytes, d->bytes, *size);
    else
        *size = d->size;
    return SG_SUCCESS;
}

int amd_comgr_get_data_name(data_t data, size_t *size, char *name)
{
    const sg_data_t *d = sg_own_data(data);
    if (!d || !d->name || !size || (name && *size > strlen(d->name) + 1))
        return sg_comgr()->get_data_name(sg_give_up_data(data), size, name);
    if (name)
        memcpy(name, d->name, *size);
    else
        *size = strlen(d->name) + 1;
    return SG_SUCCESS;
}

int amd_comgr_get_data_metadata(data_t data, node_handle_t *node)
{
    const sg_data_t *d = sg_own_data(data);
    if (d && node && d->bytes && d->kind == SG_EXECUTABLE &&
        sg_notes_read(d->buffer, d->bytes, d->size, node))
        return SG_SUCCESS;
    return sg_comgr()->get_data_metadata(sg_give_up_data(data), node);
}

/* ---- sets ---- */

bool sg_set_add(sg_set_t *set, sg_data_t *data)
{
    if (!BASE_GROW_BY_ONE(set->all, set->count)) return false;
    atomic_fetch_add(&data->holders, 1);
    set->all[set->count++] = data;
    return true;
}

void sg_set_clear(sg_set_t *set)
{
    for (size_t i = 0; i < set->count; i++)
        sg_data_drop(set->all[i]);
    free(set->all);
    set->all = NULL;
    set->count = 0;
    if (!set->addition) return;
    free(set->addition->info.isa);
    free(set->addition->info.options);
    sg_set_clear(&set->addition->from);
    free(set->addition);
    set->addition = NULL;
}

sg_addition_t *sg_addition_new(int action, const sg_info_t *info, const sg_set_t *from,
                               sg_compiled_key_t key)
{
    sg_set_t holder = {.addition = calloc(1, sizeof *holder.addition)};
    sg_addition_t *a = holder.addition;
    if (!a) return NULL;
    *a = (sg_addition_t){.action = action, .info = *info, .key = key};
    a->info.isa = strdup(info->isa);
    a->info.options = malloc(info->option_bytes + 1);
    bool good = a->info.isa && a->info.options;
    if (good) memcpy(a->info.options, info->options, info->option_bytes);
    for (size_t i = 0; good && i < from->count; i++)
        good = sg_set_add(&a->from, from->all[i]);
    if (good) return a;
    sg_set_clear(&holder);
    return NULL;
}

int amd_comgr_create_data_set(set_t *set)
{
    if (!set) return sg_comgr()->create_data_set(set);
    const sg_set_t *s = calloc(1, sizeof *s);
    if (!s) return SG_NO_RESOURCES;
    *set = sg_own_handle(s);
    return SG_SUCCESS;
}

int amd_comgr_destroy_data_set(set_t set)
{
    sg_set_t *s = sg_own(set);
    if (!s) return sg_comgr()->destroy_data_set(set);
    if (s->given_up) sg_comgr()->destroy_data_set(s->given_up);
    sg_set_clear(s);
    free(s);
    return SG_SUCCESS;
}

static bool is_in(const sg_set_t *set, const sg_data_t *data)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->all[i] == data) return true;
    return false;
}

int amd_comgr_data_set_add(set_t set, data_t data)
{
    sg_set_t *s = own_set(set);
    sg_data_t *d = sg_own_data(data);
    if (!s || !d || s->addition || !d->name || is_in(s, d))
        return sg_comgr()->data_set_add(sg_give_up_set(set), sg_give_up_data(data));
    return sg_set_add(s, d) ? SG_SUCCESS : SG_NO_RESOURCES;
}

/* Whether the set is ours and its data objects of the kind are known. */
static bool knows(const sg_set_t *s, int kind)
{
    return s && is_kind(kind) && (!s->addition || kind == SG_LOG);
}

static sg_data_t *find(const sg_set_t *s, int kind, size_t index)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->all[i]->kind == kind && index-- == 0) return s->all[i];
    return NULL;
}

int amd_comgr_action_data_count(set_t set, int kind, size_t *count)
{
    const sg_set_t *s = own_set(set);
    if (!knows(s, kind) || !count)
        return sg_comgr()->action_data_count(sg_give_up_set(set), kind, count);
    *count = 0;
    for (size_t i = 0; i < s->count; i++)
        *count += s->all[i]->kind == kind;
    return SG_SUCCESS;
}

int amd_comgr_action_data_get_data(set_t set, int kind, size_t index, data_t *data)
{
    const sg_set_t *s = own_set(set);
    sg_data_t *d = knows(s, kind) ? find(s, kind, index) : NULL;
    if (!d || !data)
        return sg_comgr()->action_data_get_data(sg_give_up_set(set), kind, index, data);
    atomic_fetch_add(&d->holders, 1);
    *data = sg_own_handle(d);
    return SG_SUCCESS;
}

/* ---- descriptions ---- */

int amd_comgr_create_action_info(info_t *info)
{
    if (!info) return sg_comgr()->create_action_info(info);
    const sg_info_t *i = calloc(1, sizeof *i);
    if (!i) return SG_NO_RESOURCES;
    *info = sg_own_handle(i);
    return SG_SUCCESS;
}

int amd_comgr_destroy_action_info(info_t info)
{
    sg_info_t *i = sg_own(info);
    if (!i) return sg_comgr()->destroy_action_info(info);
    if (i->given_up) sg_comgr()->destroy_action_info(i->given_up);
    free(i->isa);
    free(i->options);
    free(i);
    return SG_SUCCESS;
}

int amd_comgr_action_info_set_isa_name(info_t info, const char *name)
{
    sg_info_t *i = own_info(info);
    if (!i || !name || !*name || !sg_target_is_known(name))
        return sg_comgr()->action_info_set_isa_name(sg_give_up_info(info), name);
    char *copy = strdup(name);
    if (!copy) return SG_NO_RESOURCES;
    free(i->isa);
    i->isa = copy;
    return SG_SUCCESS;
}

int amd_comgr_action_info_set_language(info_t info, int language)
{
    enum { LAST = 4 };
    sg_info_t *i = own_info(info);
    if (!i || language < 0 || language > LAST)
        return sg_comgr()->action_info_set_language(sg_give_up_info(info), language);
    i->language = language;
    return SG_SUCCESS;
}

int amd_comgr_action_info_set_logging(info_t info, bool logging)
{
    sg_info_t *i = own_info(info);
    if (!i) return sg_comgr()->action_info_set_logging(sg_give_up_info(info), logging);
    i->logging = logging;
    return SG_SUCCESS;
}

int amd_comgr_action_info_set_option_list(info_t info, const char **options, size_t count)
{
    sg_info_t *i = own_info(info);
    if (!i || (!options && count))
        return sg_comgr()->action_info_set_option_list(sg_give_up_info(info), options, count);
    sg_compiled_bytes_t list = {0};
    for (size_t k = 0; k < count; k++)
        sg_compiled_add(&list, options[k], strlen(options[k]) + 1);
    sg_compiled_add(&list, "", 1); /* so that no options are a list, too */
    if (list.bad) {
        free(list.bytes);
        return SG_NO_RESOURCES;
    }
    free(i->options);
    i->options = list.bytes;
    i->option_bytes = list.size;
    i->option_count = count;
    return SG_SUCCESS;
}
