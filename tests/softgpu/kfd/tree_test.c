/* tree_test.c - the folder of driver files: while another process looks for leftovers, and where
 * it cannot be made.
 *
 * A process that looks for leftovers takes a folder's lock for the moment in which it reads how old
 * the folder is: here a thread that has the lock from the folder's making on. */
#include "fake_device.h"

#include "softgpu/kfd/kfd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static int looker = -1;   /* its descriptor of the folder */
static bool looks;        /* whether the thread takes the lock of the next folder */
static int mkdtemp_error; /* the next mkdtemp() fails with it; 0: it does not */
static int write_error;   /* the next writing of the files likewise */
static pthread_t thread;

char *__real_mkdtemp(char *path);
char *__wrap_mkdtemp(char *path);
int __real_kfd_topology_write(const char *root, const kfd_config_t *config);
int __wrap_kfd_topology_write(const char *root, const kfd_config_t *config);

static void *look(void *unused)
{
    (void)unused;
    /* Nothing shows when the other thread tries to lock the folder; it does so within microseconds.
     */
    nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
    return close(looker) == 0 ? &looker : NULL;
}

char *__wrap_mkdtemp(char *path)
{
    errno = mkdtemp_error;
    mkdtemp_error = 0;
    char *made = errno ? NULL : __real_mkdtemp(path);
    if (!made || !looks) return made;
    looks = false;
    looker = open(made, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(looker, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(pthread_create(&thread, NULL, look, NULL), 0);
    return made;
}

int __wrap_kfd_topology_write(const char *root, const kfd_config_t *config)
{
    int error = __real_kfd_topology_write(root, config);
    if (write_error) error = write_error;
    write_error = 0;
    return error;
}

static void a_look_at_the_new_folder_is_waited_for(void **state)
{
    (void)state;
    void *looked = NULL;
    struct stat st;
    looks = true;
    const char *root = kfd_tree_root();
    pthread_join(thread, &looked);
    assert_non_null(looked);
    assert_non_null(root);
    assert_int_equal(stat(root, &st), 0);
    assert_true(S_ISDIR(st.st_mode));

    /* afterwards the folder is locked: nobody takes it for a leftover */
    int other = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(other >= 0);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
    close(other);
}

/* The folder that is asked first, and a name below it that mkdtemp() is given. */
static char base[] = "/tmp/tree-test-XXXXXX", template[128];

static int set_up(void **state)
{
    (void)state;
    strcpy(strrchr(base, '-'), "-XXXXXX");
    assert_non_null(__real_mkdtemp(base));
    snprintf(template, sizeof(template), "%s/softgpu-%u-%d-XXXXXX", base, (unsigned)getuid(),
             (int)getpid());
    return setenv("XDG_RUNTIME_DIR", base, 1);
}

static int tear_down(void **state)
{
    (void)state;
    kfd_tree_remove();
    rmdir(template);
    return rmdir(base); /* there is nothing in it */
}

static void the_runtime_directory_is_first(void **state)
{
    (void)state;
    const char *root = kfd_tree_root();
    assert_non_null(root);
    assert_memory_equal(root, base, strlen(base));
}

static bool is_elsewhere(const char *root)
{
    return root && (!strncmp(root, "/dev/shm/softgpu-", 17) || !strncmp(root, "/tmp/softgpu-", 13));
}

static void a_folder_that_cannot_be_made_is_passed_over(void **state)
{
    (void)state;
    struct stat st;
    assert_int_equal(mkdir(template, 0700), 0); /* somebody else's, of all names */
    mkdtemp_error = EACCES;
    assert_true(is_elsewhere(kfd_tree_root()));
    assert_int_equal(stat(template, &st), 0);
}

static void a_folder_without_room_is_passed_over(void **state)
{
    (void)state;
    write_error = -ENOSPC;
    assert_true(is_elsewhere(kfd_tree_root()));
}

static void a_name_that_is_too_long_is_passed_over(void **state)
{
    (void)state;
    struct stat st;
    static char long_name[PATH_MAX + 8];
    strcpy(long_name, base);
    while (strlen(long_name) + 2 < sizeof(long_name))
        strcat(long_name, "/.");
    assert_int_equal(setenv("XDG_RUNTIME_DIR", long_name, 1), 0);
    assert_true(is_elsewhere(kfd_tree_root()));
    assert_int_equal(stat(base, &st), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_look_at_the_new_folder_is_waited_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_runtime_directory_is_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_that_cannot_be_made_is_passed_over, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_folder_without_room_is_passed_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_name_that_is_too_long_is_passed_over, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
