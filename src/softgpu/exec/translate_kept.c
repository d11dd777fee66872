/* translate_kept.c - translations on disk, so that a program that runs again translates nothing. A
 * file has a header, the entries, and LLVM's object file, in which no address is. Its name is a
 * hash of all that the translation depends on, this program's build id among it. The header says
 * which LLVM made it: a file whose LLVM has been replaced is not read, and LLVM is not loaded for
 * that. The callers hold the translator's lock. */
#include "softgpu/exec/translate_internal.h"

#include "base/cache.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".sgx" /* of the files' names */

enum {
    LARGEST = 16 << 20, /* bytes of a file */
    NAME = 64
};

typedef struct {
    char magic[8];
    uint64_t checksum; /* of all behind it */
    isa_kept_key_t key;
    translator_llvm_t llvm;
    uint32_t why, masked, entries, bytes;
} header_t;

static const char magic[8] = "SGXLATE";

static struct {
    uint64_t most; /* 0: nothing is kept */
    uint64_t used; /* bytes in the folder, as far as this process knows */
    bool opened, usable;
    char folder[PATH_MAX - NAME_MAX - 2];
} kept;

void isa_kept_setup(uint64_t bytes)
{
    kept.most = bytes;
    kept.opened = kept.usable = false;
}

/* Opens the folder, which is made if it is not there and if somebody wants to write. */
static bool open_folder(bool to_write)
{
    if (kept.opened || !kept.most) return kept.usable;
    if (!base_cache_path(kept.folder, sizeof kept.folder, "softgpu/translated")) return false;
    if (!to_write && access(kept.folder, F_OK)) return false;
    kept.opened = true;
    kept.usable = base_cache_open(kept.folder, S_IRWXG | S_IRWXO);
    return kept.usable;
}

/* ---- keys ---- */

extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

/* The build id in a segment of notes; NULL if there is none. */
static const uint8_t *find_id(const char *at, size_t size, size_t *bytes)
{
    while (size >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr n;
        memcpy(&n, at, sizeof n);
        const size_t name = (n.n_namesz + 3u) & ~3u, text = (n.n_descsz + 3u) & ~3u;
        if (sizeof n + name + text > size) return NULL;
        *bytes = n.n_descsz;
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && !memcmp(at + sizeof n, "GNU", 4))
            return (const uint8_t *)at + sizeof n + name;
        at += sizeof n + name + text;
        size -= sizeof n + name + text;
    }
    return NULL;
}

/* Adds the build id of the library or program that has this code; false if it has none. */
static bool add_build(XXH3_state_t *hash)
{
    const char *begin = (const char *)&__ehdr_start;
    const Elf64_Phdr *p = (const Elf64_Phdr *)(const void *)(begin + __ehdr_start.e_phoff);
    const Elf64_Phdr *const behind = p + __ehdr_start.e_phnum;
    const char *base = begin;
    for (const Elf64_Phdr *q = p; q < behind; q++)
        if (q->p_type == PT_LOAD && q->p_offset == 0) base = begin - q->p_vaddr;
    for (; p < behind; p++) {
        size_t bytes;
        const uint8_t *id =
            p->p_type == PT_NOTE ? find_id(base + p->p_vaddr, p->p_memsz, &bytes) : NULL;
        if (!id) continue;
        XXH3_128bits_update(hash, id, bytes);
        return true;
    }
    return false;
}

static void add_text(XXH3_state_t *hash, const char *text)
{
    XXH3_128bits_update(hash, text, strlen(text) + 1);
}

/* The key of a translation; false if translations of this program cannot be told from others. */
static bool key_of(const isa_wanted_t *wanted, isa_kept_key_t *key)
{
    const isa_page_t *page = wanted->page;
    const isa_library_t *library = isa_library_for(page->core);
    const uint32_t numbers[] = {wanted->first, wanted->last, wanted->mode,          wanted->masked,
                                wanted->calls, wanted->nans, wanted->bucket != NULL};
    const unsigned behind = wanted->last + page->slots[wanted->last].dwords;
    XXH3_state_t hash;
    XXH3_128bits_reset(&hash);
    if (!library || !add_build(&hash)) return false;
    add_text(&hash, page->core->name);
    add_text(&hash, library->cpu);
    add_text(&hash, isa_code_arch(page->code)->name);
    XXH3_128bits_update(&hash, numbers, sizeof numbers);
    if (wanted->bucket) XXH3_128bits_update(&hash, wanted->bucket, ISA_OP_COUNT);
    if (behind > page->n_words) return false;
    XXH3_128bits_update(&hash, page->words + wanted->first,
                        (behind - wanted->first) * sizeof *page->words);
    const XXH128_hash_t made = XXH3_128bits_digest(&hash);
    *key = (isa_kept_key_t){made.low64, made.high64};
    return true;
}

/* ---- files ---- */

/* Whether the file from which LLVM was loaded then is as it was. */
static bool is_same_llvm(const translator_llvm_t *then)
{
    static translator_llvm_t last; /* that was found to be the same */
    translator_llvm_t now = {.size = 0};
    if (!memchr(then->path, '\0', sizeof then->path)) return false;
    if (*last.path && !memcmp(&last, then, sizeof last)) return true;
    memcpy(now.path, then->path, strlen(then->path));
    if (!translator_look_at(&now) || memcmp(&now, then, sizeof now) != 0) return false;
    last = now;
    return true;
}

/* Reasons that depend on the code alone. */
static bool is_kept(isa_refused_t why)
{
    return why == ISA_REFUSED_NOT || why == ISA_REFUSED_LENGTH || why == ISA_REFUSED_SHAPE ||
           why == ISA_REFUSED_MODE || why == ISA_REFUSED_HEAD;
}

/* Of the header behind the checksum, the entries, and the object file. */
static uint64_t checksum_of(const header_t *h, const void *entries, const void *object)
{
    const size_t behind = offsetof(header_t, key);
    XXH3_state_t sum;
    XXH3_64bits_reset(&sum);
    XXH3_64bits_update(&sum, (const char *)h + behind, sizeof *h - behind);
    XXH3_64bits_update(&sum, entries, h->entries * sizeof(uint16_t));
    if (h->bytes) XXH3_64bits_update(&sum, object, h->bytes);
    return XXH3_64bits_digest(&sum);
}

/* Whether the header is that of a whole file of this key. */
static bool is_good(const header_t *h, const char *rest, size_t size, isa_kept_key_t key)
{
    return !memcmp(h->magic, magic, sizeof magic) && h->key.low == key.low &&
           h->key.high == key.high && is_kept((isa_refused_t)h->why) &&
           h->entries <= ISA_PLAN_STEPS && h->bytes <= LARGEST &&
           size == h->entries * sizeof(uint16_t) + h->bytes &&
           (h->why != ISA_REFUSED_NOT || (h->entries && h->bytes)) &&
           h->checksum == checksum_of(h, rest, rest + h->entries * sizeof(uint16_t)) &&
           is_same_llvm(&h->llvm);
}

bool isa_kept_parse(const void *bytes, size_t size, isa_kept_key_t key, isa_made_t *made)
{
    header_t h;
    const char *rest = (const char *)bytes + sizeof h;
    if (size < sizeof h) return false;
    memcpy(&h, bytes, sizeof h);
    if (!is_good(&h, rest, size - sizeof h, key)) return false;
    *made = (isa_made_t){
        .why = (isa_refused_t)h.why, .masked = h.masked != 0, .n = h.entries, .size = h.bytes};
    const size_t entries = h.entries * sizeof *made->entry;
    memcpy(made->entry, rest, entries);
    for (unsigned n = 0; n < made->n; n++)
        if (made->entry[n] >= ISA_PAGE_SLOTS) return false;
    if (made->why) return true;
    made->object = malloc(made->size);
    if (made->object) memcpy(made->object, rest + entries, made->size);
    return made->object != NULL;
}

static void name_of(isa_kept_key_t key, char name[NAME])
{
    snprintf(name, NAME, "%016" PRIx64 "%016" PRIx64 SUFFIX, key.high, key.low);
}

static bool are_inside(const isa_made_t *made, const isa_wanted_t *wanted)
{
    for (unsigned n = 0; n < made->n; n++)
        if (made->entry[n] < wanted->first || made->entry[n] > wanted->last) return false;
    return true;
}

bool isa_kept_read(const isa_wanted_t *wanted, isa_made_t *made)
{
    isa_kept_key_t key;
    char name[NAME];
    size_t size;
    if (!open_folder(false) || !key_of(wanted, &key)) return false;
    name_of(key, name);
    char *bytes = base_cache_read(kept.folder, name, LARGEST, &size);
    if (!bytes) return false;
    const bool good = isa_kept_parse(bytes, size, key, made);
    free(bytes);
    if (!good) return false;
    base_cache_touch(kept.folder, name);
    if (are_inside(made, wanted)) return true;
    free(made->object);
    made->object = NULL;
    return false;
}

void isa_kept_write(const isa_wanted_t *wanted, const isa_made_t *made)
{
    header_t h = {.why = made->why,
                  .masked = made->masked,
                  .entries = made->n,
                  .bytes = (uint32_t)made->size,
                  .llvm = *isa_process_llvm()};
    char name[NAME];
    if (!*h.llvm.path || !is_kept(made->why) || !open_folder(true) || !key_of(wanted, &h.key) ||
        made->size > LARGEST / 2)
        return;
    memcpy(h.magic, magic, sizeof magic);
    const size_t entries = made->n * sizeof *made->entry;
    h.checksum = checksum_of(&h, made->entry, made->object);
    const struct iovec parts[] = {
        {&h, sizeof h}, {(void *)(uintptr_t)made->entry, entries}, {made->object, made->size}};
    name_of(h.key, name);
    if (!base_cache_write(kept.folder, name, parts, 3)) return;
    const uint64_t grown = sizeof h + entries + made->size;
    /* looked through once for each process, and when this one alone has filled it */
    if (!kept.used || kept.used + grown > kept.most)
        kept.used = base_cache_trim(kept.folder, SUFFIX, kept.most, kept.most / 4 * 3);
    else
        kept.used += grown;
}
