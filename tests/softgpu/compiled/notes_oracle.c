/* notes_oracle.c - what the library that stands in for libamd_comgr says of code objects, beside
 * what libamd_comgr says.
 *
 * Usage: notes_oracle STAND_IN FILE...: the code objects in the files, which are programs of HIP.
 * The answers of the library are its own: it was not asked to stand in, and so has no cache. */
#include <dlfcn.h>
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, MACHINE_AMDGPU = 224, EXECUTABLE = 8, STRING = 1, MAP, LIST };

typedef uint64_t node_t, data_t;
typedef int take_pair_t(node_t key, node_t value, void *user);

/* FUNCTION(name, parameters) */
#define FUNCTIONS(FUNCTION)                                                                        \
    FUNCTION(create_data, (int kind, data_t *data))                                                \
    FUNCTION(set_data, (data_t data, size_t size, const void *bytes))                              \
    FUNCTION(release_data, (data_t data))                                                          \
    FUNCTION(get_data_metadata, (data_t data, node_t * node))                                      \
    FUNCTION(get_metadata_kind, (node_t node, int *kind))                                          \
    FUNCTION(get_metadata_string, (node_t node, size_t * size, char *text))                        \
    FUNCTION(get_metadata_map_size, (node_t node, size_t * size))                                  \
    FUNCTION(iterate_map_metadata, (node_t node, take_pair_t * take, void *user))                  \
    FUNCTION(metadata_lookup, (node_t node, const char *key, node_t *value))                       \
    FUNCTION(get_metadata_list_size, (node_t node, size_t * size))                                 \
    FUNCTION(index_list_metadata, (node_t node, size_t index, node_t * value))                     \
    FUNCTION(destroy_metadata, (node_t node))

typedef struct {
#define FUNCTION(name, parameters) int(*name) parameters;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
} comgr_t;

static comgr_t comgr, ours;

static bool find_functions(void *library, comgr_t *to)
{
    void *found;
    bool all = library;
#define FUNCTION(name, parameters)                                                                 \
    found = all ? dlsym(library, "amd_comgr_" #name) : NULL;                                       \
    memcpy(&to->name, &found, sizeof found);                                                       \
    all &= found != NULL;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
    return all;
}

/* ---- a tree as text, by all functions that read it ---- */

typedef struct {
    const comgr_t *of;
    FILE *to;
} print_t;

static void print_node(const print_t *p, node_t node);

static int print_pair(node_t key, node_t value, void *user)
{
    print_node(user, key);
    fputs(" -> ", ((print_t *)user)->to);
    print_node(user, value);
    return 1; /* which does not end it */
}

static void print_text(const print_t *p, node_t node)
{
    size_t size = 0;
    char text[4096], begin[3] = "??";
    fprintf(p->to, "%d:", p->of->get_metadata_string(node, &size, NULL));
    if (size && size <= sizeof text) {
        fprintf(p->to, "%d:", p->of->get_metadata_string(node, &size, text));
        fwrite(text, 1, size, p->to);
    }
    size = size < 2 ? size : 2;
    fprintf(p->to, ":%d:%s\n", p->of->get_metadata_string(node, &size, begin), begin);
}

static void print_list(const print_t *p, node_t node)
{
    size_t size = 0;
    node_t element;
    fprintf(p->to, "list %d", p->of->get_metadata_list_size(node, &size));
    fprintf(p->to, " of %zu\n", size);
    for (size_t i = 0; i < size; i++) {
        fprintf(p->to, "%zu: %d ", i, p->of->index_list_metadata(node, i, &element));
        print_node(p, element);
        p->of->destroy_metadata(element);
    }
    fprintf(p->to, "beyond: %d\n", p->of->index_list_metadata(node, size, &element));
}

static void print_map(const print_t *p, node_t node)
{
    static const char *const keys[] = {".name", "amdhsa.kernels", ".wavefront_size", "", "none"};
    size_t size = 0;
    node_t value;
    fprintf(p->to, "map %d", p->of->get_metadata_map_size(node, &size));
    fprintf(p->to, " of %zu\n", size);
    fprintf(p->to, "%d\n", p->of->iterate_map_metadata(node, print_pair, (void *)(uintptr_t)p));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const int status = p->of->metadata_lookup(node, keys[i], &value);
        fprintf(p->to, "%s: %d\n", keys[i], status);
        if (status) continue;
        print_node(p, value);
        p->of->destroy_metadata(value);
    }
}

static void print_node(const print_t *p, node_t node)
{
    size_t size;
    int kind = -1;
    fprintf(p->to, "%d ", p->of->get_metadata_kind(node, &kind));
    if (kind == STRING)
        print_text(p, node);
    else if (kind == LIST)
        print_list(p, node);
    else if (kind == MAP)
        print_map(p, node);
    if (kind != STRING) fprintf(p->to, "%d", p->of->get_metadata_string(node, &size, NULL));
    if (kind != LIST) fprintf(p->to, "%d", p->of->get_metadata_list_size(node, &size));
    if (kind != MAP) fprintf(p->to, "%d", p->of->get_metadata_map_size(node, &size));
}

/* Answers, among which are zeros. */
typedef struct {
    char *text;
    size_t length;
} printed_t;

static printed_t print_object(const comgr_t *of, const uint8_t *bytes, size_t size)
{
    printed_t all = {0};
    data_t data;
    node_t root;
    const print_t p = {of, open_memstream(&all.text, &all.length)};
    of->create_data(EXECUTABLE, &data);
    of->set_data(data, size, bytes);
    const int status = of->get_data_metadata(data, &root);
    of->release_data(data); /* the tree stays */
    fprintf(p.to, "%d\n", status);
    if (!status) {
        print_node(&p, root);
        of->destroy_metadata(root);
    }
    fclose(p.to);
    return all;
}

/* ---- code objects ---- */

static unsigned compared, known, different;

static void compare(const uint8_t *bytes, size_t size)
{
    const printed_t right = print_object(&comgr, bytes, size),
                    said = print_object(&ours, bytes, size);
    size_t at = 0;
    compared++;
    known += *said.text == '0';
    while (at < said.length && at < right.length && said.text[at] == right.text[at])
        at++;
    if (at != said.length || at != right.length) {
        different++;
        fprintf(stderr, "from byte %zu: libamd_comgr: \"%.40s\", ours: \"%.40s\"\n", at,
                right.text + at, said.text + at);
    }
    free(right.text);
    free(said.text);
}

/* Where the header says that the number of sections is in the first section. */
static void compare_without_count(uint8_t *changed, size_t size, uint64_t sections)
{
    Elf64_Ehdr h;
    Elf64_Shdr first;
    memcpy(&h, changed, sizeof h);
    if (h.e_shoff > size || size - h.e_shoff < sizeof first) return;
    h.e_shnum = 0;
    memcpy(changed, &h, sizeof h);
    memcpy(&first, changed + h.e_shoff, sizeof first);
    first.sh_size = sections;
    memcpy(changed + h.e_shoff, &first, sizeof first);
    compare(changed, size);
}

/* The size of the code object at `bytes`; 0: there is none. */
static size_t object_at(const uint8_t *bytes, size_t left)
{
    Elf64_Ehdr h;
    if (left < sizeof h || memcmp(bytes, ELFMAG, SELFMAG) != 0) return 0;
    memcpy(&h, bytes, sizeof h);
    const size_t size = h.e_shoff + (size_t)h.e_shnum * h.e_shentsize;
    return h.e_machine == MACHINE_AMDGPU && size <= left ? size : 0;
}

/* Also with a bit of the headers changed, and cut off: libamd_comgr refuses some, and ours is to
 * leave those to it. Notes with changed bits crash libamd_comgr. */
static void compare_object(const uint8_t *bytes, size_t size)
{
    Elf64_Ehdr h;
    uint8_t *changed = malloc(size);
    if (!changed) return;
    memcpy(&h, bytes, sizeof h);
    compare(bytes, size);
    compare(bytes, size / 2);
    const size_t end = sizeof h + h.e_phnum * sizeof(Elf64_Phdr);
    for (size_t bit = 0; bit < 8 * end; bit++) {
        memcpy(changed, bytes, size);
        changed[bit / 8] ^= (uint8_t)(1u << bit % 8);
        const unsigned before = different;
        compare(changed, size);
        if (different != before) fprintf(stderr, "bit %zu of byte %zu\n", bit % 8, bit / 8);
    }
    memcpy(changed, bytes, size);
    compare_without_count(changed, size, h.e_shnum);
    compare_without_count(changed, size, size);
    free(changed);
}

static void compare_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0) exit(1);
    const size_t size = (size_t)ftell(f);
    uint8_t *bytes = malloc(size + 1);
    rewind(f);
    if (!bytes || fread(bytes, 1, size, f) != size) exit(1);
    fclose(f);
    for (size_t at = 1; at < size; at++) { /* at 0 is the program itself */
        const size_t object = object_at(bytes + at, size - at);
        if (object) compare_object(bytes + at, object);
    }
    free(bytes);
}

int main(int argc, char **argv)
{
    void *library = dlopen("libamd_comgr.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "skipped: no libamd_comgr of version 2\n");
        return SKIPPED;
    }
    if (argc < 3 || !find_functions(library, &comgr) ||
        !find_functions(dlopen(argv[1], RTLD_NOW | RTLD_LOCAL), &ours)) {
        fprintf(stderr, "usage: notes_oracle STAND_IN FILE...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        compare_file(argv[i]);
    printf("%u compared, %u of them code objects, %u different\n", compared, known, different);
    return !known || different;
}
