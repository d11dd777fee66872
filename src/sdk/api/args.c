/* args.c - iteration over the arguments of a traced call.
 *
 * It is apart because it formats text, which nothing on the hot path does. The generated lists say
 * which arguments an operation has and what they point to. */
#include "base/intern.h"
#include "sdk/api/api.h"
#include "sdk/api/format.h"
#include "sdk/core/service.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 1024 };

static const sdk_argument_list_t *list_of(int domain, int32_t operation)
{
    static const sdk_argument_list_t *const lists[SDK_DOMAIN_COUNT] = {
        [SDK_DOMAIN_HSA_CORE] = sdk_args_hsa_core,
        [SDK_DOMAIN_HSA_AMD_EXT] = sdk_args_hsa_amd_ext,
        [SDK_DOMAIN_HSA_IMAGE_EXT] = sdk_args_hsa_image_ext,
        [SDK_DOMAIN_HSA_FINALIZE_EXT] = sdk_args_hsa_finalize_ext,
        [SDK_DOMAIN_HIP_RUNTIME] = sdk_args_hip_runtime,
        [SDK_DOMAIN_HIP_COMPILER] = sdk_args_hip_compiler,
        [SDK_DOMAIN_MARKER_CORE] = sdk_args_marker_core,
        [SDK_DOMAIN_MARKER_CONTROL] = sdk_args_marker_control,
        [SDK_DOMAIN_MARKER_NAME] = sdk_args_marker_name,
        [SDK_DOMAIN_MARKER_CORE_RANGE] = sdk_args_marker_core_range,
        [SDK_DOMAIN_RCCL_API] = sdk_args_rccl_api,
        [SDK_DOMAIN_ROCDECODE_API] = sdk_args_rocdecode_api,
        [SDK_DOMAIN_ROCJPEG_API] = sdk_args_rocjpeg_api,
        [SDK_DOMAIN_ROCSHMEM_API] = sdk_args_rocshmem_api,
        [SDK_DOMAIN_HIPFILE_API] = sdk_args_hipfile_api,
        [SDK_DOMAIN_OMPT] = sdk_args_ompt_event,
    };
    return lists[domain] ? &lists[domain][operation] : NULL;
}

static int64_t signed_value(const void *at, size_t size)
{
    int64_t wide = 0;
    int32_t middle = 0;
    int16_t small = 0;
    int8_t tiny = 0;
    switch (size) {
    case 8: memcpy(&wide, at, 8); return wide;
    case 4: memcpy(&middle, at, 4); return middle;
    case 2: memcpy(&small, at, 2); return small;
    default: memcpy(&tiny, at, 1); return tiny;
    }
}

static uint64_t unsigned_value(const void *at, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, at, size > 8 ? 8 : size);
    return value;
}

static void format_enum(char *text, const void *at, unsigned number)
{
    const sdk_value_texts_t *texts = &sdk_value_texts[number];
    int32_t value = (int32_t)signed_value(at, 4);
    for (uint32_t i = 0; i < texts->count; i++)
        if (texts->values[i].value == value) {
            snprintf(text, TEXT_MAX, "%s", texts->values[i].text);
            return;
        }
    snprintf(text, TEXT_MAX, "%s_UNKNOWN=%" PRId32, texts->prefix ? texts->prefix : "", value);
}

/* Writes the members of a structure from the last to the first, as AMD's library does. */
static void format_structure(char *text, const void *at, unsigned format, const char *type)
{
    uint64_t words[4] = {0};
    uint32_t halves[3] = {0};
    switch (format) {
    case SDK_FORMAT_DIM3:
        memcpy(halves, at, sizeof halves);
        snprintf(text, TEXT_MAX, "{z=%u, y=%u, x=%u}", halves[2], halves[1], halves[0]);
        break;
    case SDK_FORMAT_EXTENT:
        memcpy(words, at, 3 * sizeof *words);
        snprintf(text, TEXT_MAX,
                 strstr(type, "Pos") ? "{z=%" PRIu64 ", y=%" PRIu64 ", x=%" PRIu64 "}"
                                     : "{depth=%" PRIu64 ", height=%" PRIu64 ", width=%" PRIu64 "}",
                 words[2], words[1], words[0]);
        break;
    case SDK_FORMAT_PITCHED:
        memcpy(words, at, sizeof words);
        snprintf(text, TEXT_MAX,
                 "{ysize=%" PRIu64 ", xsize=%" PRIu64 ", pitch=%" PRIu64 ", ptr=0x%" PRIx64 "}",
                 words[3], words[2], words[1], words[0]);
        break;
    default: /* the two members of a hipMemLocation stand in their own order */
        memcpy(halves, at, 2 * sizeof *halves);
        snprintf(text, TEXT_MAX, "{type=%s, id=%d}",
                 halves[0] == 0   ? "Invalid"
                 : halves[0] == 1 ? "Device"
                                  : "hipMemLocationType_UNKNOWN",
                 (int)halves[1]);
        break;
    }
}

static void format_value(char *text, const void *at, size_t size, unsigned format,
                         const sdk_argument_t *argument)
{
    float f;
    double d;
    switch (format) {
    case SDK_FORMAT_BOOL:
        snprintf(text, TEXT_MAX, "%s", unsigned_value(at, 1) ? "true" : "false");
        break;
    case SDK_FORMAT_CHAR: snprintf(text, TEXT_MAX, "%c", (char)unsigned_value(at, 1)); break;
    case SDK_FORMAT_INT: snprintf(text, TEXT_MAX, "%" PRId64, signed_value(at, size)); break;
    case SDK_FORMAT_UINT: snprintf(text, TEXT_MAX, "%" PRIu64, unsigned_value(at, size)); break;
    case SDK_FORMAT_FLOAT:
        memcpy(&f, at, sizeof f);
        snprintf(text, TEXT_MAX, "%g", (double)f);
        break;
    case SDK_FORMAT_DOUBLE:
        memcpy(&d, at, sizeof d);
        snprintf(text, TEXT_MAX, "%g", d);
        break;
    case SDK_FORMAT_ENUM: format_enum(text, at, argument->texts); break;
    case SDK_FORMAT_DIM3:
    case SDK_FORMAT_EXTENT:
    case SDK_FORMAT_PITCHED:
    case SDK_FORMAT_LOCATION: format_structure(text, at, format, argument->type); break;
    case SDK_FORMAT_HANDLE:
        snprintf(text, TEXT_MAX, "{handle=%" PRIu64 "}", unsigned_value(at, 8));
        break;
    case SDK_FORMAT_OTHER:
        if (size <= 4)
            snprintf(text, TEXT_MAX, "%" PRId64, signed_value(at, size));
        else
            snprintf(text, TEXT_MAX, "0x%" PRIx64, unsigned_value(at, size));
        break;
    default: snprintf(text, TEXT_MAX, "0x%" PRIx64, unsigned_value(at, 8)); break;
    }
}

static size_t size_of(unsigned format, const char *type)
{
    if (format == SDK_FORMAT_FLOAT || format == SDK_FORMAT_ENUM) return 4;
    if (format == SDK_FORMAT_INT || format == SDK_FORMAT_UINT)
        return strstr(type, "size_t") || strstr(type, "64") || strstr(type, "thread_id") ? 8 : 4;
    return 8;
}

/* Writes the argument's text and returns how many pointers were followed for it; a string does not
 * count. `after` and `alive` are as in the struct below. */
static int32_t format_argument(char *text, const sdk_argument_t *argument, const void *at,
                               int32_t most, bool after, bool alive)
{
    unsigned format = argument->format;
    const void *target = NULL;
    if (format < SDK_FORMAT_POINTER || format > SDK_FORMAT_TEXT_OUT) {
        format_value(text, at, argument->size, format, argument);
        return 0;
    }
    memcpy(&target, at, sizeof target);
    if (!target) {
        snprintf(text, TEXT_MAX, "(null)");
        return 0;
    }
    if (format == SDK_FORMAT_STRING || (alive && format == SDK_FORMAT_TEXT_OUT && after)) {
        snprintf(text, TEXT_MAX, "%.*s", TEXT_MAX - 1, (const char *)target);
        return 0;
    }
    if (alive && after && most > 0 && argument->target != SDK_FORMAT_NONE) {
        format_value(text, target, size_of(argument->target, argument->type), argument->target,
                     argument);
        return 1;
    }
    format_value(text, at, argument->size, SDK_FORMAT_ADDRESS, argument);
    return 0;
}

/* Calls `visit` for each argument, until it returns non-zero. */
typedef struct {
    const char *arguments; /* the argument union */
    int32_t most;          /* pointers to follow */
    bool after;            /* the function has returned: output parameters are set */
    bool alive;            /* what arguments point to still exists; strings always exist */
    int (*visit)(const sdk_argument_t *argument, uint32_t number, const void *at, const char *text,
                 int32_t followed, void *closure);
    void *closure;
} walk_t;

static rocprofiler_status_t walk(int domain, int32_t operation, const walk_t *w)
{
    if (domain < 0 || operation < 0 || (uint32_t)operation >= sdk_domains[domain].operations)
        return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
    const sdk_argument_list_t *list = list_of(domain, operation);
    if (!list) return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
    for (uint32_t i = 0; i < list->count; i++) {
        const sdk_argument_t *a = &list->arguments[i];
        char text[TEXT_MAX];
        const void *at = w->arguments + a->offset;
        int32_t followed = format_argument(text, a, at, w->most, w->after, w->alive);
        if (w->visit(a, i, at, text, followed, w->closure)) break;
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

void sdk_args_keep_strings(int domain, int32_t operation, void *arguments)
{
    const sdk_argument_list_t *list = list_of(domain, operation);
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (list->arguments[i].format != SDK_FORMAT_STRING) continue;
        char *at = (char *)arguments + list->arguments[i].offset;
        const char *text;
        memcpy(&text, at, sizeof text);
        text = base_intern(text);
        memcpy(at, &text, sizeof text);
    }
}

typedef struct {
    rocprofiler_callback_tracing_record_t record;
    rocprofiler_callback_tracing_operation_args_cb_t callback;
    void *data;
} callback_walk_t;

static int visit_callback(const sdk_argument_t *a, uint32_t number, const void *at,
                          const char *text, int32_t followed, void *closure)
{
    const callback_walk_t *c = closure;
    return c->callback(c->record.kind, c->record.operation, number, at, a->indirections, a->type,
                       a->name, text, followed, c->data);
}

rocprofiler_status_t rocprofiler_iterate_callback_tracing_kind_operation_args(
    rocprofiler_callback_tracing_record_t record,
    rocprofiler_callback_tracing_operation_args_cb_t callback, int32_t max_dereference_count,
    void *user_data)
{
    if (!callback || !record.payload) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (record.kind <= ROCPROFILER_CALLBACK_TRACING_NONE ||
        record.kind >= ROCPROFILER_CALLBACK_TRACING_LAST)
        return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
    _Static_assert(offsetof(rocprofiler_callback_tracing_hip_api_data_t, args) ==
                       offsetof(rocprofiler_callback_tracing_marker_api_data_t, args),
                   "payloads begin alike");
    callback_walk_t closure = {record, callback, user_data};
    walk_t w = {
        .arguments = (const char *)record.payload +
                     offsetof(rocprofiler_callback_tracing_hip_api_data_t, args),
        .most = max_dereference_count,
        .after = record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT,
        .alive = true,
        .visit = visit_callback,
        .closure = &closure,
    };
    return walk(sdk_domain_of_callback((uint32_t)record.kind), record.operation, &w);
}

typedef struct {
    const rocprofiler_buffer_tracing_hip_api_ext_record_t *record;
    rocprofiler_buffer_tracing_operation_args_cb_t callback;
    void *data;
} buffer_walk_t;

static int visit_buffer(const sdk_argument_t *a, uint32_t number, const void *at, const char *text,
                        int32_t followed, void *closure)
{
    (void)followed; /* always 0: except for strings, the objects that arguments pointed to may be
                     * gone */
    const buffer_walk_t *c = closure;
    return c->callback(c->record->kind, c->record->operation, number, at, a->indirections, a->type,
                       a->name, text, c->data);
}

rocprofiler_status_t rocprofiler_iterate_buffer_tracing_record_args(
    rocprofiler_record_header_t record, rocprofiler_buffer_tracing_operation_args_cb_t callback,
    void *user_data)
{
    if (!callback || !record.payload) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (record.category != ROCPROFILER_BUFFER_CATEGORY_TRACING ||
        record.kind <= ROCPROFILER_BUFFER_TRACING_NONE ||
        record.kind >= ROCPROFILER_BUFFER_TRACING_LAST)
        return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
    int domain = sdk_domain_of_buffer(record.kind);
    if (domain < 0 || sdk_domains[domain].buffer_ext_kind != record.kind)
        return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
    buffer_walk_t closure = {record.payload, callback, user_data};
    walk_t w = {
        .arguments = (const char *)record.payload +
                     offsetof(rocprofiler_buffer_tracing_hip_api_ext_record_t, args),
        .visit = visit_buffer,
        .closure = &closure,
    };
    return walk(domain, closure.record->operation, &w);
}
