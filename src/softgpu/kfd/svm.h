/* svm.h - shared virtual memory: the program's own memory at its own address on the GPUs. */
#ifndef SOFTGPU_KFD_SVM_H
#define SOFTGPU_KFD_SVM_H

#include <stddef.h>
#include <stdint.h>

struct kfd_process;
struct kfd_gpu;
struct kfd_ioctl_svm_args;

/* The SVM ioctl; `bytes` is the size of *args with its attributes. Takes the lock. */
int kfd_svm(struct kfd_process *p, struct kfd_ioctl_svm_args *args, size_t bytes);

/* The memory is gone, or something else takes its addresses: its attributes are forgotten and no
 * GPU reaches it any more. Any thread, with or without the process's lock; costs one load where
 * there is no such memory. */
void kfd_svm_forget(struct kfd_process *p, uint64_t begin, uint64_t bytes);

#endif
