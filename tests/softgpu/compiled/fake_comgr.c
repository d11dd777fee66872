/* fake_comgr.c - a compiler with the interface of libamd_comgr, as far as cached results need it.
 *
 * Its actions write to each result what they were given, so that a wrong result is seen, and count
 * themselves. Like AMD's it refuses to set nothing as contents, and it ends the process if an
 * action needs a target that was not set. Objects are never freed; what is destroyed is emptied. */
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
    char isa[32], options[2][32], directory[32];
    size_t option_count;
    int language;
} info_t;

#pragma GCC visibility push(default)
extern int fake_actions,
    fake_objects, /* how many were executed; how many have not been destroyed */
    fake_failing; /* the how many next call fails; 0: none */
int fake_actions, fake_objects, fake_failing;
void amd_comgr_get_version(size_t *major, size_t *minor);
int amd_comgr_create_data(int kind, data_t **data);
int amd_comgr_release_data(data_t *data);
int amd_comgr_set_data(data_t *data, size_t size, const char *bytes);
int amd_comgr_set_data_name(data_t *data, const char *name);
int amd_comgr_get_data(data_t *data, size_t *size, char *bytes);
int amd_comgr_get_data_name(data_t *data, size_t *size, char *name);
int amd_comgr_create_data_set(set_t **set);
int amd_comgr_destroy_data_set(set_t *set);
int amd_comgr_data_set_add(set_t *set, data_t *data);
int amd_comgr_data_set_remove(set_t *set, int kind);
int amd_comgr_action_data_count(set_t *set, int kind, size_t *count);
int amd_comgr_action_data_get_data(set_t *set, int kind, size_t index, data_t **data);
int amd_comgr_create_action_info(info_t **info);
int amd_comgr_destroy_action_info(info_t *info);
int amd_comgr_action_info_set_isa_name(info_t *info, const char *name);
int amd_comgr_action_info_set_working_directory_path(info_t *info, const char *path);
int amd_comgr_action_info_set_language(info_t *info, int language);
int amd_comgr_action_info_get_language(info_t *info, int *language);
int amd_comgr_action_info_set_option_list(info_t *info, const char **options, size_t count);
int amd_comgr_action_info_set_logging(info_t *info, bool logging);
int amd_comgr_do_action(int action, info_t *info, set_t *from, set_t *to);
#pragma GCC visibility pop

static bool fails(void)
{
    return fake_failing && --fake_failing == 0;
}

void amd_comgr_get_version(size_t *major, size_t *minor)
{
    const char *other = getenv("FAKE_MINOR");
    *major = 2;
    *minor = other ? (size_t)atoi(other) : 4;
}

static int copy(const char *from, size_t bytes, size_t *size, char *to)
{
    if (to) memcpy(to, from, *size);
    *size = bytes;
    return 0;
}

int amd_comgr_create_data(int kind, data_t **data)
{
    if (kind < 1 || kind > 9) return 2;
    if (fails()) return 3;
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
    if (fails()) return 3;
    data->bytes = malloc(size);
    memcpy(data->bytes, bytes, size);
    data->size = size;
    return 0;
}

int amd_comgr_set_data_name(data_t *data, const char *name)
{
    if (fails()) return 3;
    snprintf(data->name, sizeof data->name, "%s", name);
    return 0;
}

int amd_comgr_get_data(data_t *data, size_t *size, char *bytes)
{
    return data->bytes ? copy(data->bytes, data->size, size, bytes) : 2;
}

int amd_comgr_get_data_name(data_t *data, size_t *size, char *name)
{
    return copy(data->name, strlen(data->name) + 1, size, name);
}

int amd_comgr_create_data_set(set_t **set)
{
    if (fails()) return 3;
    *set = calloc(1, sizeof **set);
    fake_objects++;
    return 0;
}

int amd_comgr_destroy_data_set(set_t *set)
{
    memset(set, 0, sizeof *set);
    fake_objects--;
    return 0;
}

int amd_comgr_data_set_add(set_t *set, data_t *data)
{
    if (fails()) return 3;
    for (size_t i = 0; i < set->count; i++)
        if (set->all[i] == data) return 0;
    set->all[set->count++] = data;
    return 0;
}

int amd_comgr_data_set_remove(set_t *set, int kind)
{
    size_t left = 0;
    if (!set) return 2;
    for (size_t i = 0; i < set->count; i++)
        if (set->all[i]->kind != kind) set->all[left++] = set->all[i];
    set->count = left;
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
        if (set->all[i]->kind == kind && index-- == 0) {
            *data = set->all[i];
            return 0;
        }
    return 2;
}

int amd_comgr_create_action_info(info_t **info)
{
    if (fails()) return 3;
    *info = calloc(1, sizeof **info);
    fake_objects++;
    return 0;
}

int amd_comgr_destroy_action_info(info_t *info)
{
    memset(info, 0, sizeof *info);
    fake_objects--;
    return 0;
}

int amd_comgr_action_info_set_isa_name(info_t *info, const char *name)
{
    if (fails()) return 3;
    snprintf(info->isa, sizeof info->isa, "%s", name);
    return 0;
}

int amd_comgr_action_info_set_working_directory_path(info_t *info, const char *path)
{
    snprintf(info->directory, sizeof info->directory, "%s", path);
    return 0;
}

int amd_comgr_action_info_set_language(info_t *info, int language)
{
    if (fails()) return 3;
    info->language = language;
    return 0;
}

int amd_comgr_action_info_get_language(info_t *info, int *language)
{
    *language = info->language;
    return 0;
}

int amd_comgr_action_info_set_option_list(info_t *info, const char **options, size_t count)
{
    if (fails()) return 3;
    info->option_count = count;
    for (size_t i = 0; i < count; i++)
        snprintf(info->options[i], sizeof info->options[i], "%s", options[i]);
    return 0;
}

int amd_comgr_action_info_set_logging(info_t *info, bool logging)
{
    (void)info, (void)logging;
    return fails() ? 3 : 0;
}

static void add(set_t *set, int kind, const char *name, const char *text)
{
    data_t *data = calloc(1, sizeof *data);
    data->kind = kind;
    snprintf(data->name, sizeof data->name, "%s", name);
    data->bytes = strdup(text); /* of which a log may have none */
    data->size = strlen(text);
    amd_comgr_data_set_add(set, data);
}

int amd_comgr_do_action(int action, info_t *info, set_t *from, set_t *to)
{
    char text[256];
    if (!*info->isa) abort();
    if (fails()) return 3;
    const int failing = fake_failing;
    int n = snprintf(text, sizeof text, "action %d language %d isa %s%s:", action, info->language,
                     info->isa, info->directory);
    for (size_t i = 0; i < info->option_count; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " %s", info->options[i]);
    for (size_t i = 0; i < from->count; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " %s=%.*s", from->all[i]->name,
                      (int)from->all[i]->size, from->all[i]->bytes);
    fake_actions++;
    fake_failing = 0; /* of calls from outside */
    add(to, 5, "comgr.log", "");
    add(to, action == 2 || action == 4 ? 6 : 8, "result", text);
    fake_failing = failing;
    return strstr(text, "wrong") ? 1 : 0;
}
