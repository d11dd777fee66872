/* decide.c - says which compiler it gets, as identity.c finds out for HIP.
 *
 * Usage: decide [FILE]: prints "none", or whether the compiler was "known" or had to be "opened",
 * its path, and whether results are kept once it is opened; FILE's time is changed before that.
 * decide given FOLDER...: how many of the folders the loader searches before its cache. */
#include "softgpu/compiled/identity.c"

#include <fcntl.h>

static bool keeps(void)
{
    const sg_compiled_key_t key = {1, 2};
    size_t size;
    sg_compiled_write(key, "", 1);
    char *bytes = sg_compiled_read(key, &size);
    free(bytes);
    return bytes;
}

static int count_folders(int count, char **folders)
{
    Dl_serinfo *all = calloc(1, sizeof *all + (size_t)count * sizeof *all->dls_serpath);
    if (!all) return 1;
    all->dls_cnt = (unsigned)count;
    for (int i = 0; i < count; i++)
        all->dls_serpath[i].dls_name = folders[i];
    printf("%zu\n", count_given(all));
    free(all);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "given") == 0) return count_folders(argc - 2, argv + 2);
    if (!softgpu_comgr_stands_in((void *)(uintptr_t)main, true)) {
        puts("none");
        return 0;
    }
    const char *how = compiler.library ? "opened" : "known";
    const struct timespec times[2] = {{1, 0}, {1, 0}};
    if (argc > 1 && utimensat(AT_FDCWD, argv[1], times, 0) != 0) return 1;
    struct link_map *map;
    if (!sg_compiler_open() || dlinfo(compiler.library, RTLD_DI_LINKMAP, &map) != 0) return 1;
    printf("%s %s %s\n", how, map->l_name, keeps() ? "keeps" : "keeps nothing");
    return 0;
}
