/* redirect.c - decides which paths belong to the driver, and loads libsoftgpu.so for them.
 *
 * The only state of the stub is a pointer to the library's table of functions, and whether the
 * program was started with a standard error. A new path of the driver needs a row in `rooms`. */
#include "softgpu/preload/redirect.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
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
    ROOM("/dev/kfd"),       ROOM("/dev/dri"),       ROOM("/sys/devices/virtual/kfd"),
    ROOM("/sys/class/kfd"), ROOM("/sys/class/drm"), ROOM("/sys/module/amdgpu"),
};

/* Folders that also have files of the host: the rest of the path decides. "pci0000:00/BUS" is the
 * path of a software GPU only, since the path of a GPU of the host has a PCI bridge in between. */
static const char char_devices[] = "/sys/dev/char/226:",
                  pci_root[] = "/sys/devices/pci0000:00/0000:";

/* Folders in which the thunk looks for the caches of a processor: of a NUMA node, or of the
 * machine. */
static const char nodes[] = "/sys/devices/system/node/node", cpus[] = "/" SOFTGPU_HOST_CPUS "/cpu";

/* The library's table once it is loaded, or &unavailable. Two threads may both call dlopen(), which
 * is harmless. A lock held across it could deadlock with a constructor that opens a device. */
static _Atomic(const softgpu_seam_t *) loaded;
static const softgpu_seam_t unavailable;

/* The text after `prefix` and a number; NULL: the path does not begin with these. */
static const char *after_number(const char *path, const char *prefix, size_t length)
{
    if (strncmp(path, prefix, length) != 0 || path[length] < '0' || path[length] > '9') return NULL;
    path += length;
    return path + strspn(path, "0123456789");
}

/* Whether the path is that of a processor's caches, and the host has no such files, as in some
 * virtual machines: the thunk then finds no processor, and its programs no GPU. Such paths count
 * only after the first device was opened, so that other programs do not load the library because of
 * them. */
static bool missing_caches(const char *path)
{
    static atomic_int shown; /* 0: unknown, 1: the host has files about caches, 2: it has none */
    const char *rest = after_number(path, nodes, sizeof(nodes) - 1);
    rest = rest ? after_number(rest, "/cpu", 4) : after_number(path, cpus, sizeof(cpus) - 1);
    if (!rest || strncmp(rest, "/cache", 6) != 0 || (rest[6] && rest[6] != '/')) return false;
    const softgpu_seam_t *seam = atomic_load_explicit(&loaded, memory_order_acquire);
    if (!seam || seam == &unavailable) return false;
    if (!atomic_load_explicit(&shown, memory_order_relaxed)) {
        const int error = errno;
        const bool found = softgpu_host_shows_caches();
        errno = error;
        atomic_store_explicit(&shown, found ? 1 : 2, memory_order_relaxed);
    }
    return atomic_load_explicit(&shown, memory_order_relaxed) == 2;
}

bool redirect_wanted(const char *path)
{
    if (!path || path[0] != '/' || (path[1] != 's' && path[1] != 'd')) return false;
    for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++)
        if (strncmp(path, rooms[i].path, rooms[i].length) == 0) {
            char next = path[rooms[i].length];
            return next == '\0' || next == '/';
        }
    if (path[1] != 's') return false;
    if (strncmp(path, char_devices, sizeof(char_devices) - 1) == 0) return true;
    if (strncmp(path, pci_root, sizeof(pci_root) - 1) == 0)
        return strtoul(path + sizeof(pci_root) - 1, NULL, 16) >= SOFTGPU_FIRST_PCI_BUS;
    return missing_caches(path);
}

/* The minor number of a DRM node: GPUs have a primary and a render node. */
static bool drm_minor(const char *path, unsigned *minor_number)
{
    static const struct {
        const char *prefix;
        unsigned first;
    } kinds[] = {{"/dev/dri/renderD", SOFTGPU_FIRST_RENDER_MINOR}, {"/dev/dri/card", 0}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t n = strlen(kinds[i].prefix);
        if (strncmp(path, kinds[i].prefix, n) != 0) continue;
        char *end;
        unsigned long number = strtoul(path + n, &end, 10);
        *minor_number = (unsigned)number;
        return *end == '\0' && end != path + n && number >= kinds[i].first &&
               number < kinds[i].first + SOFTGPU_FIRST_RENDER_MINOR;
    }
    return false;
}

bool redirect_is_device(const char *path)
{
    unsigned ignored;
    return strcmp(path, "/dev/kfd") == 0 || drm_minor(path, &ignored);
}

dev_t redirect_device_number(const char *path)
{
    unsigned n;
    return drm_minor(path, &n) ? makedev(SOFTGPU_DRM_MAJOR, n) : makedev(SOFTGPU_KFD_MAJOR, 0);
}

bool redirect_shows_device(const struct stat *st, dev_t *number)
{
    const softgpu_seam_t *seam = atomic_load_explicit(&loaded, memory_order_acquire);
    bool may_be = (S_ISREG(st->st_mode) && st->st_nlink == 0) || S_ISSOCK(st->st_mode);
    return may_be && seam && seam != &unavailable && seam->device_number(st, number);
}

static bool has_stderr = true;

__attribute__((constructor)) static void look_for_stderr(void)
{
    has_stderr = fcntl(STDERR_FILENO, F_GETFD) >= 0;
}

bool redirect_has_stderr(void)
{
    return has_stderr;
}

static void complain(const char *what)
{
    char text[PATH_MAX + 256];
    int n = snprintf(text, sizeof(text), "softgpu: error: %s\n", what);
    if (n > 0 && has_stderr && write(STDERR_FILENO, text, strnlen(text, sizeof(text))) < 0)
        return; /* standard error is closed, and there is no other place for the message */
}

bool redirect_beside(const char *name, char path[PATH_MAX])
{
    Dl_info self;
    if (!dladdr((void *)(uintptr_t)redirect_beside, &self) || !self.dli_fname) return false;
    const char *slash = strrchr(self.dli_fname, '/');
    int directory = slash ? (int)(slash - self.dli_fname) : 1;
    int n = snprintf(path, PATH_MAX, "%.*s/%s", directory, slash ? self.dli_fname : ".", name);
    return n > 0 && n < PATH_MAX;
}

static const softgpu_seam_t *load(void)
{
    char path[PATH_MAX];
    if (!redirect_beside("libsoftgpu.so", path)) return NULL;

    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        complain(dlerror());
        return NULL;
    }
    const softgpu_seam_t *(*entry)(bool);
    void *symbol = dlsym(library, "softgpu_seam");
    if (!symbol) {
        complain(dlerror());
        return NULL;
    }
    memcpy(&entry, &symbol, sizeof(entry));
    const softgpu_seam_t *seam = entry(has_stderr);
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
    if (!seam) return -1;
    if (!redirect_is_device(path)) {
        int fd = seam->open_held(path, flags);
        return fd == -2 ? REDIRECT_FILE : fd;
    }
    unsigned n;
    bool drm = drm_minor(path, &n);
    return seam->open_device(drm ? (int)(n % SOFTGPU_FIRST_RENDER_MINOR) : SOFTGPU_KFD_NODE, flags);
}

bool redirect_map(int fd, uint64_t offset, void *address, size_t bytes, int protection, int flags,
                  void **at)
{
    const softgpu_seam_t *seam = atomic_load_explicit(&loaded, memory_order_acquire);
    return seam && seam != &unavailable &&
           seam->map(fd, offset, address, bytes, protection, flags, at);
}

void redirect_unmap(void *address, size_t bytes)
{
    const softgpu_seam_t *seam = atomic_load_explicit(&loaded, memory_order_acquire);
    if (seam && seam != &unavailable) seam->unmap(address, bytes);
}

bool redirect_signal_action(int number, const struct sigaction *action, struct sigaction *old,
                            int *result)
{
    const softgpu_seam_t *seam = atomic_load_explicit(&loaded, memory_order_acquire);
    return seam && seam != &unavailable && seam->signal_action(number, action, old, result);
}

int64_t redirect_seek(int fd, int64_t offset, int whence)
{
    const softgpu_seam_t *seam = atomic_load_explicit(&loaded, memory_order_acquire);
    if (seam && seam != &unavailable) return seam->seek(fd, offset, whence);
    errno = ESPIPE;
    return -1;
}

bool redirect_in_use(void)
{
    const softgpu_seam_t *seam = atomic_load_explicit(&loaded, memory_order_acquire);
    return seam && seam != &unavailable;
}

bool redirect_ioctl(int fd, unsigned long request, void *argument, int *result)
{
    const softgpu_seam_t *seam = atomic_load_explicit(&loaded, memory_order_acquire);
    return seam && seam != &unavailable && seam->ioctl(fd, request, argument, result);
}

const struct softgpu_check_api *redirect_check(unsigned version)
{
    const softgpu_seam_t *seam = seam_get();
    return seam ? seam->check(version) : NULL;
}

const struct softgpu_instruction_counts_api *redirect_instruction_counts(unsigned version)
{
    const softgpu_seam_t *seam = seam_get();
    return seam ? seam->instruction_counts(version) : NULL;
}
