/* spm_test.c - streaming counters of a GPU of several XCCs, as the driver gives them to a program.
 *
 * On a stand-in device, and apart from kfd_test.c because the GPU of a process is one. */
#include "fake_device.h"

#include "softgpu/kfd/kfd.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <cmocka.h>

enum { XCCS = 8, HEADER = sizeof(struct kfd_spm_header), ROOM = 64, PART = HEADER + ROOM };

static kfd_process_t *process;

static int spm(uint32_t op, void *buffer, uint32_t bytes, uint32_t timeout,
               struct kfd_spm_args *args)
{
    *args = (struct kfd_spm_args){.dest_buf = (uintptr_t)buffer,
                                  .buf_size = bytes,
                                  .op = op,
                                  .timeout = timeout,
                                  .gpu_id = kfd_gpu_id(0)};
    return kfd_ioctl(process, _IOWR(AMDKFD_IOCTL_BASE, KFD_NR_RLC_SPM, struct kfd_spm_args), args);
}

/* A buffer has a part for each XCC, with a header and that XCC's samples. */
static void a_buffer_has_parts(void **state)
{
    static uint8_t buffer[XCCS * PART + 31];
    struct kfd_spm_args args;
    (void)state;
    assert_int_equal(spm(KFD_SPM_ACQUIRE, NULL, 0, 0, &args), 0);
    assert_int_equal(spm(KFD_SPM_SET_BUFFER, buffer, XCCS * (HEADER + 32) - 1, 0, &args), -EINVAL);
    assert_int_equal(spm(KFD_SPM_SET_BUFFER, buffer, sizeof(buffer), 0, &args), 0);
    for (unsigned x = 0; x < XCCS; x++) {
        fake.spm[x].waiting = 8 * x;
        fake.spm[x].next = (uint8_t)(10 * x);
        fake.spm[x].lost = x == 2;
    }
    fake.spm[5].waiting = 100; /* more than there is room for: it does not wait */
    assert_int_equal(spm(KFD_SPM_SET_BUFFER, NULL, sizeof(buffer), 60000, &args), 0);
    assert_int_equal(args.timeout, 60000);
    assert_int_equal(args.bytes_copied, 8 * (1 + 2 + 3 + 4 + 6 + 7) + ROOM);
    assert_int_equal(args.has_data_loss, 1);
    for (unsigned x = 0; x < XCCS; x++) {
        const struct kfd_spm_header *header = (const void *)(buffer + (size_t)x * PART);
        const uint8_t *data = (const uint8_t *)(header + 1);
        assert_int_equal(header->bytes_copied, x == 5 ? ROOM : 8 * x);
        assert_int_equal(header->has_data_loss, x == 2);
        for (unsigned i = 0; i < header->bytes_copied; i++)
            assert_int_equal(data[i], 10 * x + i);
    }
    assert_int_equal(fake.spm[5].waiting, 100 - ROOM);
    assert_int_equal(spm(KFD_SPM_RELEASE, NULL, 0, 0, &args), 0);
}

static int set_up(void **state)
{
    (void)state;
    setenv("SOFTGPU_GPU", "mi300x", 1);
    process = kfd_process_get();
    return process ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_buffer_has_parts)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
