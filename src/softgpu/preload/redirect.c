/* redirect.c - decides which paths belong to the driver, and loads the device library for them.
 *
 * Apart from the interposed calls because this is the only state of the stub: one pointer. A new
 * path of the driver is a row of `rooms`; nothing else changes. */
#include "softgpu/preload/redirect.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

typedef struct {
    const char *path;
    size_t length;
} room_t;

#define ROOM(path)                                                                                 \
    {                                                                                              \
        path, sizeof(path) - 1                                                                     \
    }
static const room_t rooms[] = {
    ROOM("/dev/kfd"),       ROOM("/dev/dri"),           ROOM("/sys/devices/virtual/kfd"),
    ROOM("/sys/class/kfd"), ROOM("/sys/module/amdgpu"),
};

/* The library's table once it is loaded, or &unavailable. A race loads it twice, which dlopen
 * counts; holding a lock across dlopen could deadlock with a constructor that opens a device. */
static _Atomic(const softgpu_seam_t *) loaded;
static const softgpu_seam_t unavailable;

bool redirect_wanted(const char *path)
{
    if (!path || path[0] != '/' || (path[1] != 's' && path[1] != 'd')) return false;
    for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++)
        if (strncmp(path, rooms[i].path, rooms[i].length) == 0) {
            char next = path[rooms[i].length];
            return next == '\0' || next == '/';
        }
    return false;
}

static bool render_minor(const char *path, unsigned *minor_number)
{
    static const char render[] = "/dev/dri/renderD";
    if (strncmp(path, render, sizeof(render) - 1) != 0) return false;
    char *end;
    unsigned long n = strtoul(path + sizeof(render) - 1, &end, 10);
    *minor_number = (unsigned)n;
    return *end == '\0' && end != path + sizeof(render) - 1 && n < 256;
}

bool redirect_is_device(const char *path)
{
    unsigned ignored;
    return strcmp(path, "/dev/kfd") == 0 || render_minor(path, &ignored);
}

dev_t redirect_device_number(const char *path)
{
    /* DRM's major is fixed by the kernel; KFD's is dynamic, 234 is the first the kernel hands out
     */
    enum { DRM_MAJOR = 226, KFD_MAJOR = 234 };
    unsigned n;
    return render_minor(path, &n) ? makedev(DRM_MAJOR, n) : makedev(KFD_MAJOR, 0);
}

static void complain(const char *what)
{
    char text[PATH_MAX + 256];
    int n = snprintf(text, sizeof(text), "softgpu: error: %s\n", what);
    if (n > 0 && write(STDERR_FILENO, text, strnlen(text, sizeof(text))) < 0)
        return; /* nobody listens */
}

static const softgpu_seam_t *load(void)
{
    char path[PATH_MAX];
    Dl_info self;
    if (!dladdr((void *)(uintptr_t)load, &self) || !self.dli_fname) return NULL;
    const char *slash = strrchr(self.dli_fname, '/');
    int directory = slash ? (int)(slash - self.dli_fname) : 1;
    int n =
        snprintf(path, sizeof(path), "%.*s/libsoftgpu.so", directory, slash ? self.dli_fname : ".");
    if (n < 0 || (size_t)n >= sizeof(path)) return NULL;

    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        complain(dlerror());
        return NULL;
    }
    const softgpu_seam_t *(*entry)(void);
    void *symbol = dlsym(library, "softgpu_seam");
    if (!symbol) {
        complain(dlerror());
        return NULL;
    }
    memcpy(&entry, &symbol, sizeof(entry));
    const softgpu_seam_t *seam = entry();
    if (seam && seam->version != SOFTGPU_SEAM_VERSION) {
        complain("libsoftgpu.so and libsoftgpu-preload.so are of different versions");
        return NULL;
    }
    return seam;
}

static const softgpu_seam_t *seam_get(void)
{
    const softgpu_seam_t *seam = atomic_load_explicit(&loaded, memory_order_acquire);
    if (!seam) {
        const softgpu_seam_t *none = NULL;
        const softgpu_seam_t *mine = load();
        if (!mine) mine = &unavailable;
        atomic_compare_exchange_strong(&loaded, &none, mine);
        seam = none ? none : mine;
    }
    if (seam == &unavailable) {
        errno = ENODEV;
        return NULL;
    }
    return seam;
}

const char *redirect_path(const char *path, char buffer[PATH_MAX])
{
    size_t root;
    const softgpu_seam_t *seam = seam_get();
    return seam && seam->locate(path, buffer, PATH_MAX, &root) == 0 ? buffer : NULL;
}

void redirect_strip_root(const char *path, char *resolved)
{
    char buffer[PATH_MAX];
    size_t root;
    const softgpu_seam_t *seam = seam_get();
    if (!seam || seam->locate(path, buffer, sizeof(buffer), &root) != 0) return;
    if (strncmp(resolved, buffer, root) == 0 && resolved[root] == '/')
        memmove(resolved, resolved + root, strlen(resolved + root) + 1);
}

int redirect_open(const char *path, int flags)
{
    const softgpu_seam_t *seam = seam_get();
    return seam ? seam->open_device(path, flags) : -1;
}

bool redirect_ioctl(int fd, unsigned long request, void *argument, int *result)
{
    const softgpu_seam_t *seam = atomic_load_explicit(&loaded, memory_order_acquire);
    return seam && seam != &unavailable && seam->ioctl(fd, request, argument, result);
}
