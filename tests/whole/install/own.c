/* own.c - what a program gets that looks for libraries which the bundle has, too. Only the system's
 * may be seen.
 *
 * usage: own [FILE]: a private library of the bundle that is loaded first, as ours load it. Prints
 * for each library, in this order, what its function is before the program asks for the library
 * ("-": unknown), and behind that. */
#include <dlfcn.h>
#include <libelf.h>
#include <stdio.h>

static const struct {
    const char *library, *function;
} rows[] = {
    {"libelf.so.1", "elf_begin"}, /* this program is linked with it */
    {"libdw.so.1", "dwarf_begin_elf"},      {"libyaml-0.so.2", "yaml_parser_initialize"},
    {"libpcre2-8.so.0", "pcre2_compile_8"}, {"libsqlite3.so.0", "sqlite3_open"},
    {"libjansson.so.4", "json_object"},     {"libzstd.so.1", "ZSTD_decompress"},
    {"libstdc++.so.6", "__cxa_demangle"},
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

static const char *file_of(void *function)
{
    Dl_info info;
    return function && dladdr(function, &info) ? info.dli_fname : "-";
}

int main(int argc, char **argv)
{
    const char *before[ROWS];
    if (elf_version(EV_CURRENT) == EV_NONE) return 1;
    if (argc > 1 && !dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    for (int i = 0; i < ROWS; i++)
        before[i] = file_of(dlsym(RTLD_DEFAULT, rows[i].function));
    for (int i = 0; i < ROWS; i++) {
        void *library = dlopen(rows[i].library, RTLD_LAZY | RTLD_LOCAL);
        void *function = library ? dlsym(library, rows[i].function) : NULL;
        printf("%s\t%s\t%s\n", rows[i].library, before[i], file_of(function));
    }
    return 0;
}
