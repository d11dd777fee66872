/* tree_test.c - the folder of driver files, while another process looks for leftovers.
 *
 * Such a process takes a folder's lock for the moment in which it reads how old the folder is: here
 * a thread that has the lock from the folder's making on. */
#include "fake_device.h"

#include "softgpu/kfd/kfd.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static int looker = -1; /* its descriptor of the folder */

static pthread_t thread;

char *__real_mkdtemp(char *path);
char *__wrap_mkdtemp(char *path);

static void *look(void *unused)
{
    (void)unused;
    nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
    return close(looker) == 0 ? &looker : NULL;
}

char *__wrap_mkdtemp(char *path)
{
    char *made = __real_mkdtemp(path);
    if (!made) return NULL;
    looker = open(made, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(looker, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(pthread_create(&thread, NULL, look, NULL), 0);
    return made;
}

static void a_look_at_the_new_folder_is_waited_for(void **state)
{
    (void)state;
    void *looked = NULL;
    struct stat st;
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
    kfd_tree_remove();
}

static void a_folder_without_room_is_passed_over(void **state)
{
    (void)state;
    assert_int_equal(setenv("XDG_RUNTIME_DIR", "/proc", 1), 0); /* where not even root makes one */
    const char *root = kfd_tree_root();
    pthread_join(thread, NULL);
    assert_non_null(root);
    assert_true(!strncmp(root, "/dev/shm/softgpu-", 17) || !strncmp(root, "/tmp/softgpu-", 13));
    kfd_tree_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_look_at_the_new_folder_is_waited_for),
                                       cmocka_unit_test(a_folder_without_room_is_passed_over)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
