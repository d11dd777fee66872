/* fake_comgr.c - a compiler with the interface of libamd_comgr, as far as kept results need it.
 *
 * Its actions write to each result what they were given, so that a wrong result is seen, and count
 * themselves. Like AMD's it refuses to set nothing as contents, and it ends the process if it is
 * asked for the name of a target that was not set. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int kind;
    char name[32];
    char *bytes;
    size_t size;
} data_t;

typedef struct {
    data_t *all[8];
    size_t count;
} set_t;

typedef struct {
    char isa[32], options[2][32];
    size_t option_count;
    int language;
} info_t;

#pragma GCC visibility push(default)
extern int fake_actions; /* how many were executed */
int fake_actions;
void amd_comgr_get_version(size_t *major, size_t *minor);
int amd_comgr_create_data(int kind, data_t **data);
int amd_comgr_release_data(data_t *data);
int amd_comgr_set_data(data_t *data, size_t size, const char *bytes);
int amd_comgr_set_data_name(data_t *data, const char *name);
int amd_comgr_get_data(data_t *data, size_t *size, char *bytes);
int amd_comgr_get_data_name(data_t *data, size_t *size, char *name);
int amd_comgr_data_set_add(set_t *set, data_t *data);
int amd_comgr_data_set_remove(set_t *set, int kind);
int amd_comgr_destroy_data_set(set_t *set);
int amd_comgr_action_data_count(set_t *set, int kind, size_t *count);
int amd_comgr_action_data_get_data(set_t *set, int kind, size_t index, data_t **data);
int amd_comgr_action_info_set_isa_name(info_t *info, const char *name);
int amd_comgr_action_info_get_isa_name(info_t *info, size_t *size, char *name);
int amd_comgr_action_info_set_working_directory_path(info_t *info, const char *path);
int amd_comgr_destroy_action_info(info_t *info);
int amd_comgr_action_info_get_language(info_t *info, int *language);
int amd_comgr_action_info_set_language(info_t *info, int language);
int amd_comgr_action_info_set_options(info_t *info, const char *options);
int amd_comgr_action_info_set_option_list(info_t *info, const char **options, size_t count);
int amd_comgr_action_info_set_logging(info_t *info, bool logging);
int amd_comgr_action_info_get_logging(info_t *info, bool *logging);
int amd_comgr_action_info_get_option_list_count(info_t *info, size_t *count);
int amd_comgr_action_info_get_option_list_item(info_t *info, size_t index, size_t *size,
                                               char *text);
int amd_comgr_do_action(int action, info_t *info, set_t *from, set_t *to);
#pragma GCC visibility pop

void amd_comgr_get_version(size_t *major, size_t *minor)
{
    *major = 2;
    *minor = 4;
}

static int copy(const char *from, size_t bytes, size_t *size, char *to)
{
    if (to) memcpy(to, from, *size);
    *size = bytes;
    return 0;
}

int amd_comgr_create_data(int kind, data_t **data)
{
    *data = calloc(1, sizeof **data);
    (*data)->kind = kind;
    return 0;
}

int amd_comgr_release_data(data_t *data)
{
    (void)data; /* the test ends soon enough */
    return 0;
}

int amd_comgr_set_data(data_t *data, size_t size, const char *bytes)
{
    if (!size || !bytes) return 2;
    data->bytes = malloc(size);
    memcpy(data->bytes, bytes, size);
    data->size = size;
    return 0;
}

int amd_comgr_set_data_name(data_t *data, const char *name)
{
    snprintf(data->name, sizeof data->name, "%s", name);
    return 0;
}

int amd_comgr_get_data(data_t *data, size_t *size, char *bytes)
{
    return copy(data->bytes, data->size, size, bytes);
}

int amd_comgr_get_data_name(data_t *data, size_t *size, char *name)
{
    return copy(data->name, strlen(data->name) + 1, size, name);
}

int amd_comgr_data_set_add(set_t *set, data_t *data)
{
    set->all[set->count++] = data;
    return 0;
}

int amd_comgr_data_set_remove(set_t *set, int kind)
{
    size_t left = 0;
    for (size_t i = 0; i < set->count; i++)
        if (set->all[i]->kind != kind) set->all[left++] = set->all[i];
    set->count = left;
    return 0;
}

int amd_comgr_destroy_data_set(set_t *set)
{
    memset(set, 0, sizeof *set);
    return 0;
}

int amd_comgr_action_data_count(set_t *set, int kind, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < set->count; i++)
        *count += set->all[i]->kind == kind;
    return kind > 9; /* of a version that has no kind above */
}

int amd_comgr_action_data_get_data(set_t *set, int kind, size_t index, data_t **data)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->all[i]->kind == kind && index-- == 0) *data = set->all[i];
    return 0;
}

int amd_comgr_action_info_set_isa_name(info_t *info, const char *name)
{
    snprintf(info->isa, sizeof info->isa, "%s", name);
    return 0;
}

int amd_comgr_action_info_get_isa_name(info_t *info, size_t *size, char *name)
{
    if (!*info->isa) abort();
    return copy(info->isa, strlen(info->isa) + 1, size, name);
}

int amd_comgr_action_info_set_working_directory_path(info_t *info, const char *path)
{
    (void)info, (void)path;
    return 0;
}

int amd_comgr_destroy_action_info(info_t *info)
{
    memset(info, 0, sizeof *info);
    return 0;
}

int amd_comgr_action_info_get_language(info_t *info, int *language)
{
    *language = info->language;
    return 0;
}

int amd_comgr_action_info_set_language(info_t *info, int language)
{
    info->language = language;
    return 0;
}

int amd_comgr_action_info_set_options(info_t *info, const char *options)
{
    (void)info, (void)options; /* of old programs */
    return 0;
}

int amd_comgr_action_info_set_option_list(info_t *info, const char **options, size_t count)
{
    info->option_count = count;
    for (size_t i = 0; i < count; i++)
        snprintf(info->options[i], sizeof info->options[i], "%s", options[i]);
    return 0;
}

int amd_comgr_action_info_set_logging(info_t *info, bool logging)
{
    (void)info, (void)logging;
    return 0;
}

int amd_comgr_action_info_get_logging(info_t *info, bool *logging)
{
    (void)info;
    *logging = true;
    return 0;
}

int amd_comgr_action_info_get_option_list_count(info_t *info, size_t *count)
{
    *count = info->option_count;
    return 0;
}

int amd_comgr_action_info_get_option_list_item(info_t *info, size_t index, size_t *size, char *text)
{
    return copy(info->options[index], strlen(info->options[index]) + 1, size, text);
}

static void add(set_t *set, int kind, const char *name, const char *text)
{
    data_t *data;
    amd_comgr_create_data(kind, &data);
    amd_comgr_set_data_name(data, name);
    amd_comgr_set_data(data, strlen(text), text);
    amd_comgr_data_set_add(set, data);
}

int amd_comgr_do_action(int action, info_t *info, set_t *from, set_t *to)
{
    char text[256];
    int n = snprintf(text, sizeof text, "action %d language %d isa %s:", action, info->language,
                     info->isa);
    for (size_t i = 0; i < from->count; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " %s=%.*s", from->all[i]->name,
                      (int)from->all[i]->size, from->all[i]->bytes);
    fake_actions++;
    add(to, 5, "comgr.log", "");
    add(to, action == 2 || action == 4 ? 6 : 8, "result", text);
    return strstr(text, "wrong") ? 1 : 0;
}
