/* preload_probe.c - a program that looks for the driver in every way the stub stands in for.
 *
 * Run by the launcher. It knows nothing of softgpu: all it uses are names of the driver's files.
 * Each check that fails prints one line; the exit status is the number of them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kfd_ioctl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define NODES "/sys/devices/virtual/kfd/kfd/topology/nodes"

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: %s does not hold (%s)\n", __LINE__, #condition, strerror(errno));     \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

/* A constructor is the earliest a program's library may look. */
static int seen_by_constructor;
__attribute__((constructor)) static void look_early(void)
{
    seen_by_constructor = access("/dev/kfd", R_OK | W_OK) == 0;
}

static unsigned long property(const char *file, const char *name)
{
    char key[128];
    unsigned long value, found = ULONG_MAX;
    FILE *f = fopen(file, "r");
    if (!f) return found;
    while (fscanf(f, "%127s %lu", key, &value) == 2)
        if (strcmp(key, name) == 0) found = value;
    fclose(f);
    return found;
}

static void check_files(void)
{
    struct stat st;
    struct statx sx;
    char text[PATH_MAX];
    struct dirent **list;
    CHECK(seen_by_constructor);
    CHECK(stat("/dev/kfd", &st) == 0 && S_ISCHR(st.st_mode));
    CHECK(lstat("/dev/dri/renderD128", &st) == 0 && S_ISCHR(st.st_mode));
    CHECK(fstatat(AT_FDCWD, "/dev/dri", &st, 0) == 0 && S_ISDIR(st.st_mode));
    CHECK(statx(AT_FDCWD, "/dev/dri/renderD128", 0, STATX_ALL, &sx) == 0 && S_ISCHR(sx.stx_mode) &&
          sx.stx_rdev_minor == 128);
    CHECK(stat("/dev/kfdx", &st) == -1 && errno == ENOENT);
    CHECK(realpath("/sys/class/kfd/kfd/topology", text) &&
          strcmp(text, "/sys/devices/virtual/kfd/kfd/topology") == 0);
    CHECK(readlink("/sys/class/kfd/kfd", text, sizeof(text)) > 0);
    CHECK(scandir(NODES, &list, NULL, alphasort) >= 4); /* . .. 0 1 */
    DIR *d = opendir(NODES);
    CHECK(d != NULL);
    if (d) closedir(d);
    CHECK(property(NODES "/0/properties", "cpu_cores_count") > 0);
    CHECK(property(NODES "/1/properties", "simd_count") == 32);
    CHECK(property(NODES "/1/properties", "gfx_target_version") == 90010);
    /* the driver's lines of an MI200, and ways as the profile has them: 8 vector L1, then for each
     * two units an instruction and a scalar cache, then L2 */
    CHECK(property(NODES "/1/properties", "caches_count") == 17);
    CHECK(property(NODES "/1/caches/7/properties", "cache_line_size") == 64);
    CHECK(property(NODES "/1/caches/7/properties", "association") == 64);
    CHECK(property(NODES "/1/caches/8/properties", "cache_line_size") == 64);
    CHECK(property(NODES "/1/caches/8/properties", "association") == 4);
    CHECK(property(NODES "/1/caches/8/properties", "size") == 32);
    CHECK(property(NODES "/1/caches/12/properties", "size") == 16);
    CHECK(property(NODES "/1/caches/16/properties", "level") == 2);
    CHECK(property(NODES "/1/caches/16/properties", "cache_line_size") == 128);
    CHECK(property(NODES "/1/caches/16/properties", "association") == 16);
    CHECK(property("/proc/self/io", "rchar:") != ULONG_MAX); /* other files are not touched */
    int fd = open(NODES "/1/gpu_id", O_RDONLY);
    CHECK(fd >= 0 && read(fd, text, sizeof(text)) > 1);
    close(fd);
    CHECK(open("/dev/dri/renderD200", O_RDWR) == -1 && errno == ENXIO);
}

/* A render node is a character device of DRM, by its name and by a descriptor of it, and its number
 * leads to its PCI device: what libdrm goes by to tell GPUs apart. */
static void check_render_node(unsigned index)
{
    char path[PATH_MAX], text[PATH_MAX], expected[PATH_MAX];
    struct stat by_name, by_fd, by_empty_name;
    struct statx sx;
    unsigned node = 128 + index;
    snprintf(path, sizeof(path), "/dev/dri/renderD%u", node);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0);
    CHECK(stat(path, &by_name) == 0 && by_name.st_rdev == makedev(226, node));
    CHECK(fstat(fd, &by_fd) == 0 && S_ISCHR(by_fd.st_mode) && by_fd.st_rdev == makedev(226, node));
    CHECK(fstatat(fd, "", &by_empty_name, AT_EMPTY_PATH) == 0 &&
          by_empty_name.st_rdev == makedev(226, node));
    CHECK(statx(fd, "", AT_EMPTY_PATH, STATX_ALL, &sx) == 0 && S_ISCHR(sx.stx_mode) &&
          sx.stx_rdev_major == 226 && sx.stx_rdev_minor == node);
    int copy = dup(fd);
    CHECK(fstat(copy, &by_fd) == 0 && by_fd.st_rdev == makedev(226, node));
    close(copy);
    close(fd);

    snprintf(path, sizeof(path), "/sys/dev/char/226:%u/device/drm", node);
    DIR *d = opendir(path);
    CHECK(d != NULL);
    bool render = false, primary = false; /* libdrm compares GPUs by the primary nodes' names */
    snprintf(expected, sizeof(expected), "renderD%u", node);
    snprintf(text, sizeof(text), "card%u", index);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        render = render || strcmp(entry->d_name, expected) == 0;
        primary = primary || strcmp(entry->d_name, text) == 0;
    }
    if (d) closedir(d);
    CHECK(render && primary);
    snprintf(path, sizeof(path), "/dev/dri/card%u", index);
    CHECK(stat(path, &by_name) == 0 && by_name.st_rdev == makedev(226, index));
    fd = open(path, O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0);
    close(fd);
    snprintf(path, sizeof(path), "/sys/dev/char/226:%u/device", node);
    snprintf(expected, sizeof(expected), "/sys/devices/pci0000:00/0000:%02x:00.0", 3 + index);
    CHECK(realpath(path, text) && strcmp(text, expected) == 0);
    CHECK(stat(expected, &by_name) == 0 && S_ISDIR(by_name.st_mode));
    snprintf(path, sizeof(path), "/sys/dev/char/226:%u/device/subsystem", node);
    ssize_t n = readlink(path, text, sizeof(text) - 1);
    CHECK(n > 4 && strncmp(text + n - 4, "/pci", 4) == 0);
    snprintf(path, sizeof(path), "/sys/class/drm/renderD%u/device/device", node);
    FILE *f = fopen(path, "r");
    CHECK(f && fgets(text, sizeof(text), f) && strtoul(text, NULL, 16) == 0x740f);
    if (f) fclose(f);
    CHECK(access("/sys/dev/char/226:136", F_OK) == -1 && errno == ENOENT);
}

static unsigned version_of(int fd)
{
    struct kfd_ioctl_get_version_args v = {0, 0};
    return ioctl(fd, AMDKFD_IOC_GET_VERSION, &v) == 0 ? v.major_version : 0;
}

static void check_device(void)
{
    int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC), other = open("/dev/null", O_RDWR);
    CHECK(fd >= 0);
    CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
    CHECK(version_of(fd) == 1);
    struct stat st;
    CHECK(fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev != 0);
    CHECK(fstat(other, &st) == 0 && st.st_rdev == makedev(1, 3)); /* the kernel's own /dev/null */
    int copy = dup(fd);
    close(fd);
    CHECK(version_of(copy) == 1);
    CHECK(ioctl(copy, AMDKFD_IOC_GET_VERSION, NULL) == -1 && errno == EINVAL);
    CHECK(ioctl(other, AMDKFD_IOC_GET_VERSION, &fd) == -1 && errno == ENOTTY);
    close(copy);
    close(other);
}

/* The child has the parent's descriptor, and later one of its own. */
static void check_fork(void)
{
    int fd = open("/dev/kfd", O_RDWR), status = -1;
    pid_t child = fork();
    if (child == 0) {
        bool good = version_of(fd) == 1 && property(NODES "/1/properties", "simd_count") == 32;
        int mine = open("/dev/kfd", O_RDWR);
        _exit(good && version_of(mine) == 1 ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(version_of(fd) == 1);
    CHECK(property(NODES "/1/properties", "simd_count") == 32);
    close(fd);
}

static void *open_and_close(void *result)
{
    for (int i = 0; i < 200; i++) {
        int fd = open("/dev/kfd", O_RDWR);
        if (version_of(fd) != 1) *(bool *)result = false;
        close(fd);
    }
    return NULL;
}

static void check_threads(void)
{
    enum { N = 4 };
    pthread_t threads[N];
    bool good = true;
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, open_and_close, &good);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    CHECK(good);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "die") == 0) { /* leaves its folder behind */
        CHECK(access("/dev/kfd", F_OK) == 0);
        fflush(stdout);
        kill(getpid(), SIGKILL);
    }
    check_files();
    check_render_node(0);
    if (argc > 1 && strcmp(argv[1], "two") == 0) check_render_node(1);
    check_device();
    check_fork();
    check_threads();
    return failures;
}
