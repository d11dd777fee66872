/* svm_test.c - shared virtual memory on a stand-in device: attributes of ranges, and what GPUs
 * reach. */
#include "fake_device.h"

#include "softgpu/kfd/kfd.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGE = 4096, PAGES = 16 };

static kfd_process_t *process;
static uint64_t memory; /* PAGES pages of the test's own */

typedef struct kfd_ioctl_svm_attribute attribute_t;

/* Sets or gets `n` attributes of pages [first, last]. */
static int svm(uint32_t op, unsigned first, unsigned last, attribute_t *attrs, uint32_t n)
{
    size_t list = n * sizeof(*attrs);
    struct kfd_ioctl_svm_args *args = malloc(sizeof(*args) + list);
    assert_non_null(args);
    args->start_addr = memory + (uint64_t)first * PAGE;
    args->size = (uint64_t)(last - first + 1) * PAGE;
    args->op = op;
    args->nattr = n;
    memcpy(args->attrs, attrs, list);
    int error = kfd_ioctl(process, AMDKFD_IOC_SVM + (list << _IOC_SIZESHIFT), args);
    memcpy(attrs, args->attrs, list);
    free(args);
    return error;
}

static int set(unsigned first, unsigned last, uint32_t type, uint32_t value)
{
    attribute_t a = {type, value};
    return svm(KFD_IOCTL_SVM_OP_SET_ATTR, first, last, &a, 1);
}

static attribute_t get(unsigned first, unsigned last, uint32_t type, uint32_t value)
{
    attribute_t a = {type, value};
    assert_int_equal(svm(KFD_IOCTL_SVM_OP_GET_ATTR, first, last, &a, 1), 0);
    return a;
}

/* The pages that the GPU reaches for `flags`, bit by bit. */
static uint32_t reached(uint32_t flags)
{
    uint32_t pages = 0;
    for (unsigned i = 0; i < PAGES; i++) {
        uint8_t *p = sg_memory_host(process->gpus[0].memory, memory + i * PAGE, PAGE, flags);
        if (p) assert_ptr_equal(p, (uint8_t *)memory + i * PAGE);
        if (p) pages |= 1u << i;
    }
    return pages;
}

static void access_is_given_page_by_page(void **state)
{
    (void)state;
    const uint32_t gpu = kfd_gpu_id(0);
    assert_int_equal(get(0, 15, KFD_IOCTL_SVM_ATTR_ACCESS, gpu).type, KFD_IOCTL_SVM_ATTR_NO_ACCESS);
    assert_int_equal(reached(0), 0);
    assert_int_equal(set(2, 9, KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE, gpu), 0);
    assert_int_equal(reached(SG_MEM_WRITABLE | SG_MEM_HOST), 0x03fc);
    assert_int_equal(get(2, 9, KFD_IOCTL_SVM_ATTR_ACCESS, gpu).type,
                     KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE);
    assert_int_equal(set(4, 5, KFD_IOCTL_SVM_ATTR_NO_ACCESS, gpu), 0);
    assert_int_equal(reached(0), 0x03cc);
    assert_int_equal(get(2, 9, KFD_IOCTL_SVM_ATTR_ACCESS, gpu).type, KFD_IOCTL_SVM_ATTR_NO_ACCESS);
    assert_int_equal(set(3, 12, KFD_IOCTL_SVM_ATTR_ACCESS, gpu), 0);
    assert_int_equal(reached(0), 0x1ffc);
    assert_int_equal(get(2, 12, KFD_IOCTL_SVM_ATTR_ACCESS, gpu).type, KFD_IOCTL_SVM_ATTR_ACCESS);
    assert_int_equal(set(6, 7, KFD_IOCTL_SVM_ATTR_SET_FLAGS, KFD_IOCTL_SVM_FLAG_GPU_RO), 0);
    assert_int_equal(reached(0), 0x1ffc);
    assert_int_equal(reached(SG_MEM_WRITABLE), 0x1f3c);
    assert_int_equal(set(6, 7, KFD_IOCTL_SVM_ATTR_CLR_FLAGS, KFD_IOCTL_SVM_FLAG_GPU_RO), 0);
    assert_int_equal(reached(SG_MEM_WRITABLE), 0x1ffc);
}

/* Advice in the middle of a range takes nothing from a running kernel. */
static void advice_is_noted_and_disturbs_nobody(void **state)
{
    (void)state;
    const uint32_t gpu = kfd_gpu_id(0), none = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
    assert_int_equal(set(0, 15, KFD_IOCTL_SVM_ATTR_ACCESS, gpu), 0);
    uint64_t epoch = sg_memory_epoch(process->gpus[0].memory);
    assert_int_equal(get(0, 15, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 0).value, none);
    assert_int_equal(set(4, 11, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, gpu), 0);
    assert_int_equal(set(0, 15, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, gpu), 0);
    assert_int_equal(set(8, 15, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, 0), 0);
    assert_int_equal(set(4, 7, KFD_IOCTL_SVM_ATTR_SET_FLAGS, KFD_IOCTL_SVM_FLAG_GPU_READ_MOSTLY),
                     0);
    assert_int_equal(set(5, 5, KFD_IOCTL_SVM_ATTR_GRANULARITY, 4), 0);
    assert_int_equal(get(4, 11, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 0).value, gpu);
    assert_int_equal(get(3, 11, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 0).value, none);
    assert_int_equal(get(0, 7, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, 0).value, gpu);
    assert_int_equal(get(8, 15, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, 0).value, 0);
    assert_int_equal(get(0, 15, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, 0).value, none);
    assert_true(get(4, 7, KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0).value &
                KFD_IOCTL_SVM_FLAG_GPU_READ_MOSTLY);
    assert_false(get(4, 8, KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0).value &
                 KFD_IOCTL_SVM_FLAG_GPU_READ_MOSTLY);
    assert_false(get(4, 8, KFD_IOCTL_SVM_ATTR_CLR_FLAGS, 0).value &
                 KFD_IOCTL_SVM_FLAG_GPU_READ_MOSTLY);
    assert_true(get(8, 9, KFD_IOCTL_SVM_ATTR_CLR_FLAGS, 0).value &
                KFD_IOCTL_SVM_FLAG_GPU_READ_MOSTLY);
    assert_int_equal(get(4, 4, KFD_IOCTL_SVM_ATTR_GRANULARITY, 0).value, 9);
    assert_int_equal(get(4, 6, KFD_IOCTL_SVM_ATTR_GRANULARITY, 0).value, 4);
    assert_int_equal(reached(0), 0xffff);
    assert_int_equal(sg_memory_epoch(process->gpus[0].memory), epoch);
}

/* Looks from within each call by which pages leave the table, as a running kernel may: how often
 * the first page or the last was not there. */
static unsigned misses;

int __real_sg_memory_unmap(sg_memory_t *m, uint64_t va, uint64_t size);
int __wrap_sg_memory_unmap(sg_memory_t *m, uint64_t va, uint64_t size);
int __wrap_sg_memory_unmap(sg_memory_t *m, uint64_t va, uint64_t size)
{
    const int error = __real_sg_memory_unmap(m, va, size);
    misses += !sg_memory_find(m, memory) + !sg_memory_find(m, memory + 15 * PAGE);
    return error;
}

/* Pages beside those of which something is changed are never out of reach. */
static void neighbours_stay_in_reach(void **state)
{
    (void)state;
    enum { ROUNDS = 200 };
    const uint32_t gpu = kfd_gpu_id(0);
    assert_int_equal(set(0, 15, KFD_IOCTL_SVM_ATTR_ACCESS, gpu), 0);
    misses = 0;
    for (unsigned n = 0; n < ROUNDS; n++) {
        assert_int_equal(set(4, 6, KFD_IOCTL_SVM_ATTR_NO_ACCESS, gpu), 0);
        kfd_svm_forget(process, memory + 8 * PAGE, 4 * PAGE);
        assert_int_equal(set(0, 15, KFD_IOCTL_SVM_ATTR_ACCESS, gpu), 0);
        /* flags of what is in reach: it stays there */
        assert_int_equal(set(0, 7, KFD_IOCTL_SVM_ATTR_SET_FLAGS, KFD_IOCTL_SVM_FLAG_GPU_RO), 0);
        assert_int_equal(set(0, 7, KFD_IOCTL_SVM_ATTR_CLR_FLAGS, KFD_IOCTL_SVM_FLAG_GPU_RO), 0);
    }
    assert_int_equal(misses, 0);
    assert_int_equal(reached(SG_MEM_WRITABLE), 0xffff);
}

static void unmapped_memory_is_out_of_reach(void **state)
{
    (void)state;
    const uint32_t gpu = kfd_gpu_id(0);
    assert_int_equal(set(0, 15, KFD_IOCTL_SVM_ATTR_ACCESS, gpu), 0);
    kfd_svm_forget(process, memory + 3 * PAGE, 4 * PAGE); /* as munmap() does */
    assert_int_equal(reached(0), 0xff87);
    assert_int_equal(get(3, 6, KFD_IOCTL_SVM_ATTR_ACCESS, gpu).type, KFD_IOCTL_SVM_ATTR_NO_ACCESS);
    assert_int_equal(get(7, 15, KFD_IOCTL_SVM_ATTR_ACCESS, gpu).type, KFD_IOCTL_SVM_ATTR_ACCESS);

    /* the driver's own memory takes the place of what is no more */
    struct kfd_ioctl_alloc_memory_of_gpu_args b = {.va_addr = memory + 8 * PAGE,
                                                   .size = 2 * PAGE,
                                                   .flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM,
                                                   .gpu_id = gpu};
    assert_int_equal(kfd_ioctl(process, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &b), 0);
    struct kfd_ioctl_map_memory_to_gpu_args m = {
        .handle = b.handle, .device_ids_array_ptr = (uintptr_t)&gpu, .n_devices = 1};
    assert_int_equal(kfd_ioctl(process, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &m), 0);
    assert_ptr_not_equal(sg_memory_host(process->gpus[0].memory, memory + 8 * PAGE, PAGE, 0),
                         (void *)(memory + 8 * PAGE));
    assert_int_equal(set(7, 8, KFD_IOCTL_SVM_ATTR_ACCESS, gpu), -EADDRINUSE);
    attribute_t one = {KFD_IOCTL_SVM_ATTR_ACCESS, gpu};
    assert_int_equal(svm(KFD_IOCTL_SVM_OP_GET_ATTR, 7, 8, &one, 1), -EADDRINUSE);
    struct kfd_ioctl_unmap_memory_from_gpu_args u = {
        .handle = b.handle, .device_ids_array_ptr = (uintptr_t)&gpu, .n_devices = 1};
    assert_int_equal(kfd_ioctl(process, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &u), 0);
    struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = b.handle};
    assert_int_equal(kfd_ioctl(process, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
    assert_int_equal(reached(0), 0xfc87);
}

/* From the call of malloc() or calloc() with the number `fails_from` on, there is no memory. */
static unsigned allocations, fails_from = UINT32_MAX;

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
    return allocations++ < fails_from ? __real_malloc(bytes) : NULL;
}

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    return allocations++ < fails_from ? __real_calloc(count, bytes) : NULL;
}

/* What munmap() has taken is out of reach, whichever allocation fails, and what has no attributes
 * is not in reach. */
static void unmapped_memory_is_out_of_reach_without_memory(void **state)
{
    (void)state;
    enum { FIRST = 4, LAST = 6, GONE = 0x70 };
    const uint32_t gpu = kfd_gpu_id(0);
    for (unsigned n = 0, all = 1; n < all; n++) {
        assert_int_equal(set(0, 15, KFD_IOCTL_SVM_ATTR_ACCESS, gpu), 0);
        assert_int_equal(reached(0), 0xffff);
        allocations = 0;
        fails_from = n;
        kfd_svm_forget(process, memory + FIRST * PAGE, (LAST - FIRST + 1) * PAGE);
        fails_from = UINT32_MAX;
        all = allocations > n ? n + 2 : n; /* until none has failed */
        uint32_t left = reached(0), wanted = 0;
        for (unsigned i = 0; i < PAGES; i++)
            if (get(i, i, KFD_IOCTL_SVM_ATTR_ACCESS, gpu).type == KFD_IOCTL_SVM_ATTR_ACCESS)
                wanted |= 1u << i;
        assert_int_equal(left & GONE, 0);
        assert_int_equal(wanted & GONE, 0);
        assert_int_equal(left & ~wanted, 0);
        if (all == n) assert_int_equal(left, 0xffff & ~GONE);
    }
}

static void wrong_calls_change_nothing(void **state)
{
    (void)state;
    const uint32_t gpu = kfd_gpu_id(0);
    attribute_t two[2] = {{KFD_IOCTL_SVM_ATTR_ACCESS, gpu}, {99, 0}};
    assert_int_equal(svm(KFD_IOCTL_SVM_OP_SET_ATTR, 0, 3, two, 2), -EINVAL);
    assert_int_equal(svm(7, 0, 3, two, 1), -EINVAL);
    assert_int_equal(set(0, 3, KFD_IOCTL_SVM_ATTR_ACCESS, 12345), -EINVAL);
    assert_int_equal(set(0, 3, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 12345), -EINVAL);
    assert_int_equal(set(0, 3, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, KFD_IOCTL_SVM_LOCATION_UNDEFINED),
                     -EINVAL);
    struct kfd_ioctl_svm_args args = {
        .start_addr = memory + 1, .size = PAGE, .op = KFD_IOCTL_SVM_OP_SET_ATTR};
    assert_int_equal(kfd_ioctl(process, AMDKFD_IOC_SVM, &args), -EINVAL);
    args.start_addr = memory;
    args.nattr = 1; /* and the size of the call has room for none */
    assert_int_equal(kfd_ioctl(process, AMDKFD_IOC_SVM, &args), -EINVAL);
    munmap((void *)(memory + 5 * PAGE), PAGE);
    assert_int_equal(set(4, 6, KFD_IOCTL_SVM_ATTR_ACCESS, gpu), -EFAULT);
    assert_int_equal(reached(0), 0);
    attribute_t one = {KFD_IOCTL_SVM_ATTR_ACCESS, gpu};
    assert_int_equal(svm(KFD_IOCTL_SVM_OP_GET_ATTR, 4, 6, &one, 1), -EFAULT);
    assert_int_equal(svm(KFD_IOCTL_SVM_OP_GET_ATTR, 5, 5, &one, 1), -EFAULT);
    assert_int_equal(svm(KFD_IOCTL_SVM_OP_GET_ATTR, 0, 4, &one, 1), 0);
    /* that of which it is no question: nothing is answered */
    two[0].type = KFD_IOCTL_SVM_ATTR_GRANULARITY;
    assert_int_equal(svm(KFD_IOCTL_SVM_OP_GET_ATTR, 0, 3, two, 2), -EINVAL);
    one = (attribute_t){KFD_IOCTL_SVM_ATTR_NO_ACCESS, gpu};
    assert_int_equal(svm(KFD_IOCTL_SVM_OP_GET_ATTR, 0, 3, &one, 1), -EINVAL);
    one = (attribute_t){KFD_IOCTL_SVM_ATTR_ACCESS, 12345};
    assert_int_equal(svm(KFD_IOCTL_SVM_OP_GET_ATTR, 0, 3, &one, 1), -EINVAL);

    enum { MANY = 200 }; /* more than the fixed structures are long */
    attribute_t many[MANY];
    for (int i = 0; i < MANY; i++)
        many[i] = (attribute_t){KFD_IOCTL_SVM_ATTR_GRANULARITY, 5};
    assert_int_equal(svm(KFD_IOCTL_SVM_OP_GET_ATTR, 0, 3, many, MANY), 0);
    assert_int_equal(many[MANY - 1].value, 9);
}

/* The next event of a reader, without its time and process; "" if there is none. */
static const char *event(int fd)
{
    static char text[160];
    unsigned number, pid;
    unsigned long long ns;
    int rest = 0;
    char line[KFD_SMI_EVENT_MSG_SIZE + 1];
    ssize_t n = read(fd, line, sizeof(line) - 1);
    if (n <= 0) return "";
    line[n] = 0;
    assert_int_equal(line[n - 1], '\n');
    line[n - 1] = 0;
    assert_int_equal(sscanf(line, "%x %llu -%u %n", &number, &ns, &pid, &rest), 3);
    assert_int_equal(pid, getpid());
    assert_true(ns > 0);
    snprintf(text, sizeof(text), "%x %s", number, line + rest);
    return text;
}

static int reader_of(uint32_t gpu, uint64_t mask)
{
    struct kfd_ioctl_smi_events_args args = {.gpuid = gpu};
    assert_int_equal(kfd_ioctl(process, AMDKFD_IOC_SMI_EVENTS, &args), 0);
    assert_int_equal(write((int)args.anon_fd, &mask, sizeof(mask)), sizeof(mask));
    return (int)args.anon_fd;
}

static void readers_learn_what_becomes_of_ranges(void **state)
{
    (void)state;
    const uint32_t gpu = kfd_gpu_id(0);
    char expected[160];
    int fd = reader_of(gpu, KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_MIGRATE_START) |
                                KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_MIGRATE_END) |
                                KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_UNMAP_FROM_GPU));
    unsigned long page = memory / PAGE;
    assert_int_equal(set(0, 15, KFD_IOCTL_SVM_ATTR_ACCESS, gpu), 0);
    assert_string_equal(event(fd), "");
    assert_int_equal(set(4, 7, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, gpu), 0);
    assert_int_equal(set(4, 7, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, gpu), 0);
    snprintf(expected, sizeof(expected), "5 @%lx(4) 0->%x %x:%x 0", page + 4, gpu, gpu, gpu);
    assert_string_equal(event(fd), expected);
    snprintf(expected, sizeof(expected), "6 @%lx(4) 0->%x 0 0", page + 4, gpu);
    assert_string_equal(event(fd), expected);
    assert_int_equal(set(4, 7, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, gpu), 0); /* it is there */
    assert_string_equal(event(fd), "");
    assert_int_equal(set(6, 9, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, 0), 0);
    snprintf(expected, sizeof(expected), "5 @%lx(2) %x->0 0:%x 0", page + 6, gpu, gpu);
    assert_string_equal(event(fd), expected);
    assert_int_equal(event(fd)[0], '6');
    assert_string_equal(event(fd), "");
    kfd_svm_forget(process, memory + 14 * PAGE, 4 * PAGE);
    snprintf(expected, sizeof(expected), "b @%lx(2) %x 2", page + 14, gpu);
    assert_string_equal(event(fd), expected);
    assert_string_equal(event(fd), "");
    close(fd);
}

static void what_has_no_room_is_counted(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    const uint32_t gpu = kfd_gpu_id(0);
    unsigned read_before = 0, lost = 0;
    int fd = reader_of(gpu, KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_MIGRATE_END));
    for (int i = 0; i < MANY; i++)
        assert_int_equal(set(0, 0, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, i % 2 ? 0 : gpu), 0);
    while (*event(fd))
        read_before++;
    assert_in_range(read_before, 1, MANY - 1);
    assert_int_equal(set(0, 0, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, gpu), 0);
    assert_int_equal(sscanf(event(fd), "e %u", &lost), 1);
    assert_int_equal(read_before + lost, MANY);
    assert_int_equal(event(fd)[0], '6');
    assert_string_equal(event(fd), "");
    close(fd);
}

static int new_memory(void **state)
{
    (void)state;
    process = kfd_process_get();
    void *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory = (uintptr_t)p;
    return process && p != MAP_FAILED ? 0 : -1;
}

static int no_memory(void **state)
{
    (void)state;
    kfd_svm_forget(process, memory, PAGES * PAGE);
    munmap((void *)memory, PAGES * PAGE);
    return process->svm || process->gpus[0].svm;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(access_is_given_page_by_page, new_memory, no_memory),
        cmocka_unit_test_setup_teardown(advice_is_noted_and_disturbs_nobody, new_memory, no_memory),
        cmocka_unit_test_setup_teardown(neighbours_stay_in_reach, new_memory, no_memory),
        cmocka_unit_test_setup_teardown(unmapped_memory_is_out_of_reach, new_memory, no_memory),
        cmocka_unit_test_setup_teardown(unmapped_memory_is_out_of_reach_without_memory, new_memory,
                                        no_memory),
        cmocka_unit_test_setup_teardown(readers_learn_what_becomes_of_ranges, new_memory,
                                        no_memory),
        cmocka_unit_test_setup_teardown(what_has_no_room_is_counted, new_memory, no_memory),
        cmocka_unit_test_setup_teardown(wrong_calls_change_nothing, new_memory, no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
