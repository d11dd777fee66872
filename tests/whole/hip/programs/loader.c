/* loader.c - a C program that knows nothing of HIP until it opens a library that uses it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run)(void) = NULL;
    if (plugin) *(void **)&run = dlsym(plugin, "plugin_run");
    if (!run) {
        printf("%s\n", dlerror());
        return 2;
    }
    return run();
}
