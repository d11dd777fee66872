/* sampling_test.c - PC sampling and exceptions of queues as runtimes ask the driver for them.
 *
 * On a stand-in device, which notes what the driver asks of it. */
#include "fake_device.h"

#include "softgpu/kfd/kfd.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <cmocka.h>

static kfd_process_t *process;

/* What AMD's headers say of sizes and numbers. */
_Static_assert(_IOWR('K', KFD_NR_PC_SAMPLE, struct kfd_pc_sample_args) == 0xc0204b85,
               "the ioctl's number has the size in it");
_Static_assert(sizeof(struct kfd_pc_sample_info) == 40, "of the interface");

static int call(struct kfd_pc_sample_args *args)
{
    return kfd_ioctl(process, _IOWR('K', KFD_NR_PC_SAMPLE, struct kfd_pc_sample_args), args);
}

static struct kfd_pc_sample_args args_of(uint32_t op, uint32_t session)
{
    return (struct kfd_pc_sample_args){.op = op, .gpu_id = kfd_gpu_id(0), .trace_id = session};
}

static int on_session(uint32_t op, uint32_t session)
{
    struct kfd_pc_sample_args args = args_of(op, session);
    return call(&args);
}

static int query(struct kfd_pc_sample_info *info, uint32_t *n, uint32_t flags, uint32_t *version)
{
    struct kfd_pc_sample_args args = args_of(KFD_PCS_QUERY, 0);
    args.sample_info_ptr = (uintptr_t)info;
    args.num_sample_info = *n;
    args.flags = flags;
    int error = call(&args);
    *n = args.num_sample_info;
    if (version) *version = args.version;
    return error;
}

static int create(struct kfd_pc_sample_info *info, uint32_t *session)
{
    struct kfd_pc_sample_args args = args_of(KFD_PCS_CREATE, 0);
    args.sample_info_ptr = (uintptr_t)info;
    args.num_sample_info = 1;
    int error = call(&args);
    *session = args.trace_id;
    return error;
}

static const struct kfd_pc_sample_info ability = {
    0, 1, UINT64_MAX, 0, KFD_PCS_METHOD_HOST_TRAP, KFD_PCS_TYPE_US};

static struct kfd_pc_sample_info every(uint64_t interval)
{
    struct kfd_pc_sample_info info = ability;
    info.interval = interval;
    return info;
}

static void abilities(void **state)
{
    (void)state;
    struct kfd_pc_sample_info info[2];
    uint32_t n = 0, version = 0;
    assert_int_equal(query(NULL, &n, 0, &version), 0);
    assert_int_equal(n, 1);
    assert_true(version >= 1 << 16);
    n = 2;
    assert_int_equal(query(info, &n, 0, NULL), 0);
    assert_int_equal(n, 1);
    assert_memory_equal(&info[0], &ability, sizeof ability);
    struct kfd_pc_sample_args wrong = args_of(KFD_PCS_QUERY, 0);
    wrong.gpu_id = 1;
    assert_int_equal(call(&wrong), -EINVAL);
    assert_int_equal(on_session(99, 0), -EINVAL);
}

static void a_sessions_life(void **state)
{
    (void)state;
    struct kfd_pc_sample_info info = every(200), other = every(300), list[1];
    uint32_t a, b, n;
    assert_int_equal(create(&info, &a), 0);
    assert_true(a != 0);
    /* the first one's settings are everybody's */
    assert_int_equal(create(&other, &b), -EEXIST);
    assert_int_equal(other.interval, 200);
    n = 1;
    assert_int_equal(query(list, &n, 0, NULL), 0);
    assert_int_equal(list[0].interval, 200);
    assert_int_equal(query(list, &n, KFD_PCS_QUERY_ALL, NULL), 0);
    assert_int_equal(list[0].interval, 0);
    assert_int_equal(create(&info, &b), 0);
    assert_int_not_equal(a, b);

    assert_int_equal(on_session(KFD_PCS_STOP, a), -EALREADY);
    assert_int_equal(fake.interval, 0);
    assert_int_equal(on_session(KFD_PCS_START, a), 0);
    assert_int_equal(fake.interval, 200);
    assert_int_equal(on_session(KFD_PCS_START, a), -EALREADY);
    assert_int_equal(on_session(KFD_PCS_DESTROY, a), -EBUSY);
    assert_int_equal(on_session(KFD_PCS_START, b), 0);
    assert_int_equal(on_session(KFD_PCS_STOP, a), 0);
    assert_int_equal(fake.interval, 200); /* b goes on */
    assert_int_equal(on_session(KFD_PCS_STOP, b), 0);
    assert_int_equal(fake.interval, 0);
    assert_int_equal(on_session(KFD_PCS_DESTROY, b), 0);
    assert_int_equal(on_session(KFD_PCS_DESTROY, b), -EINVAL);
    assert_int_equal(on_session(KFD_PCS_START, b), -EINVAL);
    assert_int_equal(on_session(KFD_PCS_DESTROY, a), 0);
    other = every(300);
    assert_int_equal(create(&other, &b), 0);
    /* a device without a thread for it */
    fake.no_traps = -EAGAIN;
    assert_int_equal(on_session(KFD_PCS_START, b), -EAGAIN);
    fake.no_traps = 0;
    assert_int_equal(on_session(KFD_PCS_DESTROY, b), 0);
}

static void what_cannot_be(void **state)
{
    (void)state;
    struct kfd_pc_sample_info info = every(0);
    uint32_t session;
    assert_int_equal(create(&info, &session), -EOPNOTSUPP);
    info = every(100);
    info.method = KFD_PCS_METHOD_STOCHASTIC;
    assert_int_equal(create(&info, &session), -EOPNOTSUPP);
    info = every(100);
    info.type = KFD_PCS_TYPE_CYCLES;
    assert_int_equal(create(&info, &session), -EOPNOTSUPP);
    assert_int_equal(create(NULL, &session), -EINVAL);
    struct kfd_pc_sample_args two = args_of(KFD_PCS_CREATE, 0);
    info = every(100);
    two.sample_info_ptr = (uintptr_t)&info;
    two.num_sample_info = 2;
    assert_int_equal(call(&two), -EINVAL);
}

/* A gfx942 has both methods, each with settings of its own. */
static void two_methods(void **state)
{
    (void)state;
    sg_profile_t *profile = (sg_profile_t *)&process->config->profile;
    const uint32_t before = profile->gfx_target_version;
    const struct kfd_pc_sample_info clocks = {
        0, 256, UINT64_C(1) << 31, 1, KFD_PCS_METHOD_STOCHASTIC, KFD_PCS_TYPE_CYCLES};
    struct kfd_pc_sample_info traps = every(200), info, list[2];
    uint32_t a, b, n = 2;
    profile->gfx_target_version = 90402;
    fake.interval = 0;
    assert_int_equal(query(list, &n, 0, NULL), 0);
    assert_int_equal(n, 2);
    assert_memory_equal(&list[0], &ability, sizeof ability);
    assert_memory_equal(&list[1], &clocks, sizeof clocks);
    static const struct {
        uint64_t interval;
        int error;
    } wrong[] = {{128, -EOPNOTSUPP}, {UINT64_C(1) << 32, -EOPNOTSUPP}, {768, -EINVAL}};
    for (unsigned i = 0; i < 3; i++) {
        info = clocks;
        info.interval = wrong[i].interval;
        assert_int_equal(create(&info, &a), wrong[i].error);
    }
    info = clocks;
    info.interval = 1024;
    assert_int_equal(create(&info, &a), 0);
    assert_int_equal(create(&traps, &b), 0);
    info.interval = 2048;
    uint32_t other;
    assert_int_equal(create(&info, &other), -EEXIST);
    assert_int_equal(info.interval, 1024);
    fake.old_handler = true;
    assert_int_equal(on_session(KFD_PCS_START, a), -EOPNOTSUPP);
    assert_int_equal(fake.clocks, 0);
    fake.old_handler = false;
    assert_int_equal(on_session(KFD_PCS_START, a), 0);
    assert_int_equal(fake.clocks, 1024);
    assert_int_equal(fake.interval, 0);
    assert_int_equal(on_session(KFD_PCS_START, b), 0);
    assert_int_equal(fake.interval, 200);
    assert_int_equal(on_session(KFD_PCS_STOP, a), 0);
    assert_int_equal(fake.clocks, 0);
    assert_int_equal(fake.interval, 200);
    assert_int_equal(on_session(KFD_PCS_STOP, b), 0);
    assert_int_equal(on_session(KFD_PCS_DESTROY, b), 0);
    n = 2;
    assert_int_equal(query(list, &n, 0, NULL), 0);
    assert_int_equal(n, 1);
    assert_int_equal(list[0].method, KFD_PCS_METHOD_STOCHASTIC);
    assert_int_equal(list[0].interval, 1024);
    assert_int_equal(on_session(KFD_PCS_DESTROY, a), 0);
    profile->gfx_target_version = before;
}

/* Of a gfx1201 waves take host traps, if the runtime's handler samples; of gfx10 and gfx11 the
 * driver offers nothing, nor of a gfx908. */
static void gpus_of_other_drivers(void **state)
{
    (void)state;
    static const uint32_t none[] = {90008, 100300, 110000, 110501};
    sg_profile_t *profile = (sg_profile_t *)&process->config->profile;
    const uint32_t before = profile->gfx_target_version;
    struct kfd_pc_sample_info traps = every(200), list[2];
    uint32_t session, n;
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        profile->gfx_target_version = none[i];
        n = 2;
        assert_int_equal(query(list, &n, 0, NULL), -EOPNOTSUPP);
        assert_int_equal(create(&traps, &session), -EOPNOTSUPP);
    }
    profile->gfx_target_version = 120001;
    n = 2;
    assert_int_equal(query(list, &n, 0, NULL), 0);
    assert_int_equal(n, 1);
    assert_memory_equal(&list[0], &ability, sizeof ability);
    assert_int_equal(create(&traps, &session), 0);
    fake.interval = 0;
    fake.old_traps = true;
    assert_int_equal(on_session(KFD_PCS_START, session), -EOPNOTSUPP);
    assert_int_equal(fake.interval, 0);
    fake.old_traps = false;
    assert_int_equal(on_session(KFD_PCS_START, session), 0);
    assert_int_equal(fake.interval, 200);
    assert_int_equal(on_session(KFD_PCS_STOP, session), 0);
    assert_int_equal(on_session(KFD_PCS_DESTROY, session), 0);
    profile->gfx_target_version = before;
}

static void the_handler_is_the_devices(void **state)
{
    (void)state;
    struct kfd_ioctl_set_trap_handler_args args = {
        .tba_addr = 0x7000, .tma_addr = 0x8000, .gpu_id = kfd_gpu_id(0)};
    assert_int_equal(kfd_ioctl(process, AMDKFD_IOC_SET_TRAP_HANDLER, &args), 0);
    assert_int_equal(fake.tba, 0x7000);
    assert_int_equal(fake.tma, 0x8000);
    args.gpu_id = 1;
    assert_int_equal(kfd_ioctl(process, AMDKFD_IOC_SET_TRAP_HANDLER, &args), -EINVAL);
}

/* A runtime names a word and an event; errors of the queue set the exception's bit there. */
static void exceptions_of_a_queue(void **state)
{
    (void)state;
    static _Alignas(4096) uint8_t page[4096];
    const uint64_t va = 0x70000000;
    struct kfd_save_area_header *header = (void *)page;
    uint64_t *word = (uint64_t *)(void *)(page + 128);
    assert_int_equal(sg_memory_map(process->gpus[0].memory, va, sizeof page, page, SG_MEM_WRITABLE),
                     0);
    header->err_payload_addr = va + 128;
    struct kfd_ioctl_create_queue_args q = {.ring_base_address = 0x10000,
                                            .ring_size = 4096,
                                            .gpu_id = kfd_gpu_id(0),
                                            .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
                                            .queue_percentage = 100,
                                            .read_pointer_address = 0x20080,
                                            .write_pointer_address = 0x20038,
                                            .ctx_save_restore_address = va};
    assert_int_equal(kfd_ioctl(process, AMDKFD_IOC_CREATE_QUEUE, &q), 0);
    fake.ops.queue_error(fake.ops.user, fake.last_queue, SG_QUEUE_ERROR_ILLEGAL, 0x40000000, "x");
    assert_int_equal(*word, 1 << 3); /* exception 4: illegal instruction */
    fake.ops.queue_error(fake.ops.user, fake.last_queue, SG_QUEUE_ERROR_PACKET, 0x2, "x");
    assert_int_equal(*word, 1 << 3 | 1 << 15); /* exception 16: dimensions */
    /* none is wanted, or not where it can be */
    *word = 0;
    static const uint64_t nowhere[] = {0, 0x1000, 0x70000000 + 129};
    for (unsigned i = 0; i < 3; i++) {
        header->err_payload_addr = nowhere[i];
        fake.ops.queue_error(fake.ops.user, fake.last_queue, SG_QUEUE_ERROR_TRAP, 1u << 31, "x");
        assert_int_equal(*word, 0);
    }
    struct kfd_ioctl_destroy_queue_args destroy = {.queue_id = q.queue_id};
    assert_int_equal(kfd_ioctl(process, AMDKFD_IOC_DESTROY_QUEUE, &destroy), 0);
}

static int set_up(void **state)
{
    (void)state;
    process = kfd_process_get();
    return process ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(abilities),
        cmocka_unit_test(a_sessions_life),
        cmocka_unit_test(what_cannot_be),
        cmocka_unit_test(two_methods),
        cmocka_unit_test(gpus_of_other_drivers),
        cmocka_unit_test(the_handler_is_the_devices),
        cmocka_unit_test(exceptions_of_a_queue),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
