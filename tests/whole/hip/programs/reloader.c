/* reloader.c - a C program that opens a HIP library, uses and closes it, again and again, the last
 * times while another thread does the same. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static int use_once(const char *name)
{
    void *plugin = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    int (*run)(void) = NULL;
    if (plugin) *(void **)&run = dlsym(plugin, "plugin_run");
    if (!run) {
        printf("%s\n", dlerror());
        return 1;
    }
    return run() + (dlclose(plugin) != 0);
}

static void *use_often(void *name)
{
    int wrong = 0;
    for (int i = 0; i < 4; i++)
        wrong += use_once(name);
    return (void *)(size_t)wrong;
}

int main(int argc, char **argv)
{
    pthread_t other;
    void *wrong_there, *wrong_here;
    if (argc < 2) return 2;
    if (use_often(argv[1]) || pthread_create(&other, NULL, use_often, argv[1])) return 3;
    wrong_here = use_often(argv[1]);
    pthread_join(other, &wrong_there);
    return wrong_here || wrong_there ? 4 : 0;
}
