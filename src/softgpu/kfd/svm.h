/* svm.h - shared virtual memory: GPUs use the program's own memory at the same addresses. */
#ifndef SOFTGPU_KFD_SVM_H
#define SOFTGPU_KFD_SVM_H

#include <stddef.h>
#include <stdint.h>

struct kfd_process;
struct kfd_gpu;
struct kfd_ioctl_svm_args;

/* The SVM ioctl; `bytes` is the size of *args with its attributes. Takes the process's lock. */
int kfd_svm(struct kfd_process *p, struct kfd_ioctl_svm_args *args, size_t bytes);

/* The memory is unmapped, or its addresses are used for something else: removes its attributes, and
 * its mappings on all GPUs. Any thread, with or without the process's lock. Costs one load if the
 * program uses no shared virtual memory. */
void kfd_svm_forget(struct kfd_process *p, uint64_t begin, uint64_t bytes);

#endif
