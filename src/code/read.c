/* read.c - reads files and folders into a set of kernels: see kernels.h.
 *
 * A file that the user names must contain kernels; in folders, files that cannot contain any are
 * skipped. An error in one file is reported in one line, and the other files are read
 * nevertheless. */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/kernel_name.h"
#include "base/log.h"
#include "code/containers.h"
#include "code/kernels.h"
#include "gpus/gpus.h"

/* A launch may have any size up to the kernel's maximum. Compilers write 1024 if the source has no
 * limit: then workgroups of the most usual size are assumed. */
enum { GROUP_SIZE_UNSAID = 1024, GROUP_SIZE_USUAL = 256 };

typedef struct {
    code_set_t *set;
    const code_request_t *request;
    const char *file;
    const char *wrong; /* error in a code object of the file; NULL: none */
    bool failed;       /* there was no memory */
} work_t;

/* ---- GPUs ---- */

/* Returns whether code for `gpu` runs on the requested GPU. */
static bool runs_on(const char *gpu, const char *asked)
{
    if (!asked || strcmp(gpu, asked) == 0) return true;
    const gpus_arch_t *g = gpus_find(asked);
    return g && g->generic && strcmp(gpu, g->generic) == 0;
}

/* ---- kernels ---- */

static uint32_t group_size_of(const code_request_t *request, const dis_kernel_row_t *row)
{
    if (row->group_size_fixed) return row->group_size_fixed;
    uint32_t size = request->group_size;
    if (!size)
        size = row->group_size_max == GROUP_SIZE_UNSAID ? GROUP_SIZE_USUAL : row->group_size_max;
    return row->group_size_max && size > row->group_size_max ? row->group_size_max : size;
}

/* Computes the occupancy. In the notes, the number of VGPRs includes AGPRs if both share a register
 * file. */
static void find_occupancy(const code_request_t *request, code_kernel_t *k)
{
    const char *gpu = request->gpu ? request->gpu : k->gpu;
    const dis_kernel_row_t *row = &k->row;
    ins_unit_t unit;
    k->arch_vgprs = row->vgprs;
    if (!ins_unit_find(gpu, row->wave_items, row->whole_wgp, &unit)) return;
    if (unit.unified && row->agprs && row->agprs <= row->vgprs)
        k->arch_vgprs = row->vgprs - row->agprs;
    const ins_resources_t needs = {.arch_vgprs = k->arch_vgprs,
                                   .accum_vgprs = row->agprs,
                                   .sgprs = row->sgprs,
                                   .lds_bytes = row->lds_bytes,
                                   .group_size = k->group_size};
    k->occupancy = ins_occupancy_on(&unit, &needs);
}

/* Returns whether the kernel was requested by its name, as in the source or as in the symbol
 * table. */
static bool is_wanted(const work_t *w, const char *name, const char *symbol)
{
    const trace_pattern_t *p = w->request->kernel;
    return !p || trace_pattern_matches(p, name) || trace_pattern_matches(p, symbol);
}

/* Adds a kernel. It owns the row's texts from then on, even if this fails. */
static bool add_kernel(work_t *w, dis_object_t *object, dis_kernel_row_t *row)
{
    code_set_t *set = w->set;
    char *name = base_kernel_name(row->name);
    if (name && !is_wanted(w, name, row->name)) {
        set->left_out++;
        free(name);
        return true;
    }
    if (!name || !BASE_GROW_BY_ONE(set->kernels, set->count)) {
        free(name);
        return false;
    }
    code_kernel_t *k = &set->kernels[set->count++];
    *k = (code_kernel_t){.file = w->file, .name = name, .row = *row};
    row->name = row->symbol = NULL;
    strcpy(k->gpu, dis_object_gpu(object));
    dis_object_target(object, k->target);
    k->group_size = group_size_of(w->request, &k->row);
    find_occupancy(w->request, k);
    return !w->request->bodies || code_body_read(&k->body, object, &k->row, w->request->lines);
}

static bool add_kernels(work_t *w, dis_object_t *object)
{
    dis_kernel_row_t *rows;
    size_t count;
    if (!dis_object_kernels(object, &rows, &count)) {
        w->wrong = "the compiler's notes on its kernels are damaged";
        return true;
    }
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = add_kernel(w, object, &rows[i]);
    dis_kernels_free(rows, count);
    return good;
}

/* ---- files ---- */

static bool add_object(void *to, const uint8_t *elf, uint64_t size)
{
    work_t *w = to;
    dis_object_t *object;
    const dis_status_t status = dis_object_open(elf, size, &object);
    if (status == DIS_NO_MEMORY) w->failed = true;
    if (status == DIS_NO_ELF) w->wrong = "a code object is damaged, or of an unknown GPU";
    if (status != DIS_GOOD) return !w->failed;
    w->set->objects++;
    if (runs_on(dis_object_gpu(object), w->request->gpu) && !add_kernels(w, object))
        w->failed = true;
    dis_object_close(object);
    return !w->failed;
}

static void tell(work_t *w, const char *why)
{
    base_error("%s: %s", w->file, why);
    w->set->troubles++;
}

/* Searches bytes for kernels. `named` says that the user has named the file, so that it should
 * contain code of GPUs. */
static void search_bytes(work_t *w, const uint8_t *data, size_t size, bool named)
{
    char why[CODE_WHY_BYTES];
    const size_t objects = w->set->objects;
    w->wrong = NULL;
    code_find(data, size, add_object, w, why);
    if (w->failed) return;
    if (*why)
        tell(w, why);
    else if (w->wrong)
        tell(w, w->wrong);
    else if (named && w->set->objects == objects)
        tell(w, "no code of AMD GPUs is in it");
}

/* Returns why the file cannot be read or, if it was named, contains no code; NULL if it can be
 * searched, and *size becomes its size, or is to be skipped, and *size becomes 0. */
static const char *check_head(int fd, bool named, size_t *size)
{
    struct stat facts;
    uint8_t head[CODE_HEAD_BYTES];
    *size = 0;
    if (fd < 0 || fstat(fd, &facts) != 0) return strerror(errno);
    if (!S_ISREG(facts.st_mode)) return named ? "it is no file" : NULL;
    const ssize_t got = pread(fd, head, sizeof(head), 0);
    if (got < 0) return strerror(errno);
    if (code_may_contain(head, (size_t)got))
        *size = (size_t)facts.st_size;
    else if (named)
        return "no file that code of GPUs is in: ELF, offload bundle, archive";
    return NULL;
}

static void search_file(work_t *w, const char *path, bool named)
{
    size_t size;
    const int fd = base_file_open(path, O_RDONLY | O_NONBLOCK, 0);
    const char *wrong = check_head(fd, named, &size);
    void *data = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    if (data == MAP_FAILED) wrong = strerror(errno);
    if (wrong)
        tell(w, wrong);
    else if (data)
        search_bytes(w, data, size, named);
    if (data && data != MAP_FAILED) munmap(data, size);
    if (fd >= 0) close(fd);
}

/* Keeps the path, so that kernels can point to it. */
static bool begin_file(work_t *w, const char *path)
{
    if (!base_add_text(&w->set->files, &w->set->file_count, path)) w->failed = true;
    if (!w->failed) w->file = w->set->files[w->set->file_count - 1];
    return !w->failed;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void search_path(work_t *w, char *path)
{
    char *paths[] = {path, NULL};
    FTS *tree = fts_open(paths, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    const FTSENT *e;
    if (!tree && errno == ENOMEM) w->failed = true;
    if (!tree && !w->failed && begin_file(w, path)) tell(w, strerror(errno));
    while (tree && !w->failed && (e = fts_read(tree))) {
        if (e->fts_info == FTS_D || e->fts_info == FTS_DP) continue;
        const bool named = e->fts_level == FTS_ROOTLEVEL;
        if (!named && e->fts_info != FTS_F && e->fts_info != FTS_DNR) continue;
        if (!begin_file(w, e->fts_path)) break;
        if (e->fts_info == FTS_NS || e->fts_info == FTS_ERR || e->fts_info == FTS_DNR)
            tell(w, strerror(e->fts_errno));
        else
            search_file(w, e->fts_path, named);
    }
    if (tree) fts_close(tree);
}

bool code_read(code_set_t *set, char *const *paths, size_t count, const code_request_t *request)
{
    work_t w = {.set = set, .request = request};
    *set = (code_set_t){0};
    for (size_t i = 0; i < count && !w.failed; i++)
        search_path(&w, paths[i]);
    if (!w.failed) return true;
    base_error("%s", strerror(ENOMEM));
    code_free(set);
    return false;
}

void code_free(code_set_t *set)
{
    for (size_t i = 0; i < set->count; i++) {
        free(set->kernels[i].name);
        free(set->kernels[i].row.name);
        free(set->kernels[i].row.symbol);
        code_body_free(&set->kernels[i].body);
    }
    for (size_t i = 0; i < set->file_count; i++)
        free(set->files[i]);
    free(set->kernels);
    free(set->files);
    *set = (code_set_t){0};
}
