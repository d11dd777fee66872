/* failures.c - reports calls that have returned an error. Not a part (part.h), since it looks at no
 * instruction. */
#include "softgpu/check/failures.h"

#include "base/kernel_name.h"
#include "base/text.h"
#include "softgpu/check/check.h"

#include <stdio.h>
#include <stdlib.h>

/* Describes a failed call, such as "hipErrorInvalidConfiguration (9), saxpy(float*, int): 1 x 1 x 1
 * workgroups of 2048 x 1 x 1 work-items, 0 bytes of LDS beside the kernel's own". */
static char *words_of(const softgpu_check_failure_t *f)
{
    char *text = NULL;
    size_t bytes;
    char *kernel = f->kernel && *f->kernel ? base_kernel_name(f->kernel) : NULL;
    FILE *to = open_memstream(&text, &bytes);
    if (to) {
        fprintf(to, "%s (%d)", f->error ? f->error : "error", f->status);
        if (kernel) fprintf(to, ", %s", kernel);
        if (f->items[0])
            fprintf(to,
                    "%s %u x %u x %u workgroups of %u x %u x %u work-items, %llu byte%s of LDS "
                    "beside the kernel's own",
                    kernel ? ":" : ",", f->groups[0], f->groups[1], f->groups[2], f->items[0],
                    f->items[1], f->items[2], (unsigned long long)f->lds, base_plural(f->lds));
        fclose(to);
    }
    free(kernel);
    return text;
}

void chk_call_failed(const softgpu_check_failure_t *f)
{
    if (!f->launch && !chk_strict(CHK_API)) return;
    chk_stack_t stack;
    chk_stack_take(&stack);
    char *more = words_of(f);
    const chk_finding_t finding = {.kind =
                                       f->launch ? CHK_KIND_LAUNCH_FAILED : CHK_KIND_CALL_FAILED,
                                   .call = f->call,
                                   .stack = &stack,
                                   .more = more};
    chk_report(&finding);
    free(more);
}
