/* functions.h - the functions of libamd_comgr, version 2 of its interface.
 *
 * A library that stands in for it has all of them. ANSWERED are those for which it knows answers;
 * PASSED_ON are those which it calls in libamd_comgr. */
#ifndef SOFTGPU_COMPILED_FUNCTIONS_H
#define SOFTGPU_COMPILED_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The handles are structs with one member of 64 bits, which are passed like a number. */
typedef uint64_t data_t, set_t, info_t, node_handle_t, symbol_t;
typedef int take_pair_t(node_handle_t key, node_handle_t value, void *user);
typedef int take_symbol_t(symbol_t symbol, void *user);

/* FUNCTION(name, parameters). All return an amd_comgr_status_t. */
#define SG_COMGR_ANSWERED(FUNCTION)                                                                \
    FUNCTION(create_data, (int kind, data_t *data))                                                \
    FUNCTION(release_data, (data_t data))                                                          \
    FUNCTION(get_data_kind, (data_t data, int *kind))                                              \
    FUNCTION(set_data, (data_t data, size_t size, const char *bytes))                              \
    FUNCTION(get_data, (data_t data, size_t * size, char *bytes))                                  \
    FUNCTION(set_data_name, (data_t data, const char *name))                                       \
    FUNCTION(get_data_name, (data_t data, size_t * size, char *name))                              \
    FUNCTION(get_isa_metadata, (const char *isa, node_handle_t *node))                             \
    FUNCTION(get_data_isa_name, (data_t data, size_t * size, char *name))                          \
    FUNCTION(get_data_metadata, (data_t data, node_handle_t * node))                               \
    FUNCTION(create_data_set, (set_t * set))                                                       \
    FUNCTION(destroy_data_set, (set_t set))                                                        \
    FUNCTION(data_set_add, (set_t set, data_t data))                                               \
    FUNCTION(action_data_count, (set_t set, int kind, size_t *count))                              \
    FUNCTION(action_data_get_data, (set_t set, int kind, size_t index, data_t *data))              \
    FUNCTION(create_action_info, (info_t * info))                                                  \
    FUNCTION(destroy_action_info, (info_t info))                                                   \
    FUNCTION(action_info_set_isa_name, (info_t info, const char *name))                            \
    FUNCTION(action_info_set_language, (info_t info, int language))                                \
    FUNCTION(action_info_set_option_list, (info_t info, const char **options, size_t count))       \
    FUNCTION(action_info_set_logging, (info_t info, bool logging))                                 \
    FUNCTION(do_action, (int action, info_t info, set_t from, set_t to))                           \
    FUNCTION(destroy_metadata, (node_handle_t node))                                               \
    FUNCTION(get_metadata_kind, (node_handle_t node, int *kind))                                   \
    FUNCTION(get_metadata_string, (node_handle_t node, size_t * size, char *text))                 \
    FUNCTION(get_metadata_map_size, (node_handle_t node, size_t * size))                           \
    FUNCTION(iterate_map_metadata, (node_handle_t node, take_pair_t * take, void *user))           \
    FUNCTION(metadata_lookup, (node_handle_t node, const char *key, node_handle_t *value))         \
    FUNCTION(get_metadata_list_size, (node_handle_t node, size_t * size))                          \
    FUNCTION(index_list_metadata, (node_handle_t node, size_t index, node_handle_t * value))

/* FUNCTION(name, parameters, arguments). DATA, SET and INFO give libamd_comgr's own object for one
 * of ours. */
#define SG_COMGR_PASSED_ON(FUNCTION)                                                               \
    FUNCTION(status_string, (int status, const char **text), (status, text))                       \
    FUNCTION(get_isa_count, (size_t * count), (count))                                             \
    FUNCTION(get_isa_name, (size_t index, const char **name), (index, name))                       \
    FUNCTION(set_data_from_file_slice, (data_t data, int fd, uint64_t offset, uint64_t size),      \
             (DATA(data), fd, offset, size))                                                       \
    FUNCTION(create_symbolizer_info,                                                               \
             (data_t data, void (*print)(const char *, void *), uint64_t *symbolizer),             \
             (DATA(data), print, symbolizer))                                                      \
    FUNCTION(destroy_symbolizer_info, (uint64_t symbolizer), (symbolizer))                         \
    FUNCTION(symbolize, (uint64_t symbolizer, uint64_t address, bool is_code, void *user),         \
             (symbolizer, address, is_code, user))                                                 \
    FUNCTION(data_set_remove, (set_t set, int kind), (SET(set), kind))                             \
    FUNCTION(action_info_get_isa_name, (info_t info, size_t * size, char *name),                   \
             (INFO(info), size, name))                                                             \
    FUNCTION(action_info_get_language, (info_t info, int *language), (INFO(info), language))       \
    FUNCTION(action_info_set_options, (info_t info, const char *options), (INFO(info), options))   \
    FUNCTION(action_info_get_options, (info_t info, size_t * size, char *options),                 \
             (INFO(info), size, options))                                                          \
    FUNCTION(action_info_get_option_list_count, (info_t info, size_t * count),                     \
             (INFO(info), count))                                                                  \
    FUNCTION(action_info_get_option_list_item,                                                     \
             (info_t info, size_t index, size_t * size, char *option),                             \
             (INFO(info), index, size, option))                                                    \
    FUNCTION(action_info_set_working_directory_path, (info_t info, const char *path),              \
             (INFO(info), path))                                                                   \
    FUNCTION(action_info_get_working_directory_path, (info_t info, size_t * size, char *path),     \
             (INFO(info), size, path))                                                             \
    FUNCTION(action_info_get_logging, (info_t info, bool *logging), (INFO(info), logging))         \
    FUNCTION(action_info_set_device_lib_linking, (info_t info, bool linking),                      \
             (INFO(info), linking))                                                                \
    FUNCTION(action_info_set_bundle_entry_ids, (info_t info, const char **ids, size_t count),      \
             (INFO(info), ids, count))                                                             \
    FUNCTION(iterate_symbols, (data_t data, take_symbol_t * take, void *user),                     \
             (DATA(data), take, user))                                                             \
    FUNCTION(symbol_lookup, (data_t data, const char *name, symbol_t *symbol),                     \
             (DATA(data), name, symbol))                                                           \
    FUNCTION(symbol_get_info, (symbol_t symbol, int what, void *value), (symbol, what, value))     \
    FUNCTION(create_disassembly_info,                                                              \
             (const char *isa, uint64_t (*read)(uint64_t, char *, uint64_t, void *),               \
              void (*print)(const char *, void *), void (*annotate)(uint64_t, void *),             \
              uint64_t *disassembler),                                                             \
             (isa, read, print, annotate, disassembler))                                           \
    FUNCTION(destroy_disassembly_info, (uint64_t disassembler), (disassembler))                    \
    FUNCTION(disassemble_instruction,                                                              \
             (uint64_t disassembler, uint64_t address, void *user, uint64_t *size),                \
             (disassembler, address, user, size))                                                  \
    FUNCTION(demangle_symbol_name, (data_t data, data_t * demangled), (DATA(data), demangled))     \
    FUNCTION(lookup_code_object, (data_t data, void *list, size_t count),                          \
             (DATA(data), list, count))                                                            \
    FUNCTION(populate_mangled_names, (data_t data, size_t * count), (DATA(data), count))           \
    FUNCTION(get_mangled_name, (data_t data, size_t index, size_t * size, char *name),             \
             (DATA(data), index, size, name))                                                      \
    FUNCTION(populate_name_expression_map, (data_t data, size_t * count), (DATA(data), count))     \
    FUNCTION(map_name_expression_to_symbol_name,                                                   \
             (data_t data, size_t * size, char *expression, char *name),                           \
             (DATA(data), size, expression, name))

#pragma GCC visibility push(default)
void amd_comgr_get_version(size_t *major, size_t *minor);
#define FUNCTION(name, ...)                     int amd_comgr_##name __VA_ARGS__;
#define FUNCTION_2(name, parameters, arguments) int amd_comgr_##name parameters;
SG_COMGR_ANSWERED(FUNCTION)
SG_COMGR_PASSED_ON(FUNCTION_2)
#undef FUNCTION
#undef FUNCTION_2
#pragma GCC visibility pop

#endif
