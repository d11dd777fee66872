/* translated.c - fuzz target: a file of a translation that holds any bytes at all is refused, or is
 * one whose entries and code are inside what they belong to; so it is with object files.
 *
 * The first byte says what the others are: an object file, a whole file, or what stands behind the
 * parts of a header that are right. */
#include "softgpu/exec/translate_kept.c"
#include "softgpu/exec/translate_object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const isa_kept_key_t key = {1, 2};

static void read_object(const void *bytes, size_t size)
{
    isa_object_t o;
    if (!isa_object_load(&o, bytes, size, ISA_TRANSLATED)) return;
    if (o.run < (uintptr_t)o.at || o.run >= (uintptr_t)o.at + o.size) abort();
    isa_object_free(&o);
}

static void read_file(const void *bytes, size_t size)
{
    isa_made_t made;
    if (!isa_kept_parse(bytes, size, key, &made)) return;
    if (made.n > ISA_PLAN_STEPS) abort();
    for (unsigned n = 0; n < made.n; n++)
        if (made.entry[n] >= ISA_PAGE_SLOTS) abort();
    if (made.object) read_object(made.object, made.size);
    free(made.object);
}

/* Makes the parts of the header right that say that the file is whole. */
static void read_right(const uint8_t *data, size_t size)
{
    header_t h;
    uint8_t *file = malloc(size);
    if (!file || size < sizeof h) {
        free(file);
        return;
    }
    memcpy(file, data, size);
    memcpy(&h, file, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.key = key;
    h.llvm = (translator_llvm_t){.path = "/"};
    if (!translator_look_at(&h.llvm)) abort();
    const size_t rest = size - sizeof h;
    h.entries = h.entries % 8 * sizeof(uint16_t) <= rest ? h.entries % 8 : 0;
    const size_t entries = h.entries * sizeof(uint16_t);
    h.bytes = (uint32_t)(rest - entries);
    h.checksum = checksum_of(&h, file + sizeof h, file + sizeof h + entries);
    memcpy(file, &h, sizeof h);
    read_file(file, size);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    if (data[0] % 3 == 0) read_object(data + 1, size - 1);
    if (data[0] % 3 == 1) read_file(data + 1, size - 1);
    if (data[0] % 3 == 2) read_right(data + 1, size - 1);
    return 0;
}
