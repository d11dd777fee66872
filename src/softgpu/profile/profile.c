/* profile.c - reads a GPU profile: lines of "key value", # starts a comment.
 *
 * The file may be the user's, so every error in it is found and reported here, and no other code
 * has to check a value of the profile. The keys and their limits are rows of SG_PROFILE_KEYS
 * (profile.h); a new key needs only a row there. isa/arch.c has the list of GPUs, share/gpus the
 * facts about products. */
#include "softgpu/profile/profile.h"

#include "base/file.h"
#include "gpus/gpus.h"
#include "isa/arch.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_LIMIT = 512, LIKE_LIMIT = 4 };

#define SUFFIX ".profile"

typedef struct {
    const char *path;
    unsigned line;
    unsigned
        depth; /* number of files that are being read: this one and those that name it by "like" */
    char *error;
    size_t error_size;
} reader_t;

typedef struct {
    const char *key;
    size_t offset;
    uint32_t otherwise, lo, hi;
} number_key_t;

static const number_key_t number_keys[] = {
#define ROW(key, otherwise, lo, hi) {#key, offsetof(sg_profile_t, key), otherwise, lo, hi},
    SG_PROFILE_KEYS(ROW)
#undef ROW
};

typedef struct {
    const char *key;
    size_t offset, size;
} text_key_t;

static const text_key_t text_keys[] = {
    {"name", offsetof(sg_profile_t, name), sizeof(((sg_profile_t *)0)->name)},
    {"marketing_name", offsetof(sg_profile_t, marketing_name),
     sizeof(((sg_profile_t *)0)->marketing_name)},
    {"runtime", offsetof(sg_profile_t, runtime), sizeof(((sg_profile_t *)0)->runtime)},
};

enum {
    N_NUMBER_KEYS = sizeof(number_keys) / sizeof(number_keys[0]),
    N_TEXT_KEYS = sizeof(text_keys) / sizeof(text_keys[0])
};

__attribute__((format(printf, 2, 3))) static int fail(const reader_t *r, const char *format, ...)
{
    int n = r->line ? snprintf(r->error, r->error_size, "%s:%u: ", r->path, r->line)
                    : snprintf(r->error, r->error_size, "%s: ", r->path);
    if (n >= 0 && (size_t)n < r->error_size) {
        va_list ap;
        va_start(ap, format);
        vsnprintf(r->error + n, r->error_size - (size_t)n, format, ap);
        va_end(ap);
    }
    return -1;
}

static int fail_arch(const reader_t *r, const char *key, uint32_t number)
{
    char known[512];
    isa_arch_list(known, sizeof(known));
    return fail(r, "%s: %u is no GPU that softgpu knows; it knows %s", key, number, known);
}

static void set_defaults(sg_profile_t *p)
{
    memset(p, 0, sizeof(*p));
    for (size_t i = 0; i < N_NUMBER_KEYS; i++)
        memcpy((char *)p + number_keys[i].offset, &number_keys[i].otherwise, sizeof(uint32_t));
}

static int set_number(const reader_t *r, const number_key_t *key, const char *value,
                      sg_profile_t *out)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(value, &end, 0);
    if (end == value || *end != '\0' || *value == '-')
        return fail(r, "%s: \"%s\" is not a whole number", key->key, value);
    const bool outside = errno == ERANGE || v < key->lo || v > key->hi;
    if (outside && key->lo == key->hi)
        return fail(r, "%s: %s is not supported, only %u is", key->key, value, key->lo);
    if (outside) return fail(r, "%s: %s is outside %u to %u", key->key, value, key->lo, key->hi);
    uint32_t number = (uint32_t)v;
    if (key->offset == offsetof(sg_profile_t, gfx_target_version) && !isa_arch_find(number))
        return fail_arch(r, key->key, number);
    memcpy((char *)out + key->offset, &number, sizeof(number));
    return 0;
}

static int set_text(const reader_t *r, const text_key_t *key, const char *value, sg_profile_t *out)
{
    size_t n = strlen(value);
    if (n >= key->size)
        return fail(r, "%s: \"%s\" has %zu characters, the limit is %zu", key->key, value, n,
                    key->size - 1);
    memcpy((char *)out + key->offset, value, n + 1);
    return 0;
}

/* The number of compute units of which an array has a multiple: 1, or those of a workgroup
 * processor. */
static uint32_t unit_cus(const sg_profile_t *p)
{
    return isa_arch_unit_cus(isa_arch_find(p->gfx_target_version));
}

/* Sets the keys that share/gpus has for a product. The shape is that of one die, whose arrays are
 * assumed to be full. */
static int set_product(const reader_t *r, const char *name, sg_profile_t *out)
{
    const gpus_product_t *product = gpus_product(name);
    if (!product) return fail(r, "product: share/gpus has no product \"%s\"", name);
    const gpus_arch_t *arch = product->arch;
    if (!isa_arch_find(arch->target)) return fail_arch(r, "product", arch->target);
    const uint32_t arrays = product->engines * product->arrays;
    out->gfx_target_version = arch->target;
    out->num_xcc = product->xccs;
    out->shader_engines = product->engines / product->xccs;
    out->arrays_per_engine = product->arrays;
    const uint32_t unit = unit_cus(out), step = arrays * unit;
    out->cus_per_array = (product->units + step - 1) / step * unit;
    out->simds_per_cu = arch->simds;
    out->waves_per_simd = arch->slots;
    out->lds_kb = arch->lds / arch->cus >> 10;
    out->engine_clock_mhz = product->clock_mhz;
    snprintf(out->marketing_name, sizeof(out->marketing_name), "AMD %s", product->product);
    return 0;
}

static int read_lines(reader_t *r, sg_profile_t *out);

/* Reads the profile NAME of the same folder. The message about an error in it names that file. */
static int set_like(const reader_t *r, const char *name, sg_profile_t *out)
{
    char path[4096];
    const char *slash = strrchr(r->path, '/');
    reader_t other = *r;
    if (++other.depth > LIKE_LIMIT)
        return fail(r, "like: %d profiles are like each other, the limit is %d", other.depth,
                    LIKE_LIMIT);
    int n = snprintf(path, sizeof(path), "%.*s%s" SUFFIX, slash ? (int)(slash + 1 - r->path) : 0,
                     r->path, name);
    if (n < 0 || (size_t)n >= sizeof(path)) return fail(r, "like: the name is too long");
    other.path = path;
    other.line = 0;
    return read_lines(&other, out);
}

static int set_key(const reader_t *r, const char *key, const char *value, sg_profile_t *out)
{
    if (strcmp(key, "product") == 0) return set_product(r, value, out);
    if (strcmp(key, "like") == 0) return set_like(r, value, out);
    for (size_t i = 0; i < N_NUMBER_KEYS; i++)
        if (strcmp(key, number_keys[i].key) == 0) return set_number(r, &number_keys[i], value, out);
    for (size_t i = 0; i < N_TEXT_KEYS; i++)
        if (strcmp(key, text_keys[i].key) == 0) return set_text(r, &text_keys[i], value, out);
    return fail(r, "unknown key \"%s\"", key);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Cuts comment and surrounding blanks off `line`, in place. */
static char *trim(char *line)
{
    char *comment = strchr(line, '#');
    if (comment) *comment = '\0';
    while (is_blank(*line))
        line++;
    size_t n = strlen(line);
    while (n && is_blank(line[n - 1]))
        line[--n] = '\0';
    return line;
}

static int read_line(const reader_t *r, char *line, sg_profile_t *out)
{
    char *key = trim(line);
    if (*key == '\0') return 0;
    char *value = key;
    while (*value && !is_blank(*value))
        value++;
    if (*value == '\0') return fail(r, "\"%s\" has no value", key);
    *value++ = '\0';
    while (is_blank(*value))
        value++;
    return set_key(r, key, value, out);
}

/* A wave reads its place on the GPU from HW_ID: each place needs a number of its own there. */
static int check_places(const reader_t *r, const sg_profile_t *p, const isa_arch_t *arch)
{
    const struct {
        const char *key;
        uint32_t value;
        isa_bits_t field;
    } places[] = {{"waves_per_simd", p->waves_per_simd, arch->hw_id.slot},
                  {"simds_per_cu", p->simds_per_cu, arch->hw_id.simd},
                  {"cus_per_array", p->cus_per_array, arch->hw_id.cu},
                  {"arrays_per_engine", p->arrays_per_engine, arch->hw_id.sh},
                  {"shader_engines", p->shader_engines, arch->hw_id.se}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (places[i].value > 1u << places[i].field.bits)
            return fail(r, "%s: %u is more than HW_ID of %s has numbers for, which is %u",
                        places[i].key, places[i].value, arch->name, 1u << places[i].field.bits);
    return 0;
}

static bool is_power_of_two(uint32_t n)
{
    return n && !(n & (n - 1));
}

/* The table by which l2_hash changes addresses (cache/l2.h) is that of one shape of L2. */
static int check_hash(const reader_t *r, const sg_profile_t *p, const isa_arch_t *arch)
{
    enum { LINE = 128 };
    const struct {
        const char *key;
        uint32_t value, wanted;
    } shape[] = {{"l2_channels", p->l2_channels, 16}, {"l2_interleave", p->l2_interleave, 256}};
    const uint32_t least = 2 * p->l2_channels * p->l2_ways * LINE / 1024;
    if (!p->l2_hash) return 0;
    if (arch->l2_line != LINE)
        return fail(r, "l2_hash: lines of the L2 of %s have %u bytes, it needs %d", arch->name,
                    arch->l2_line, LINE);
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++)
        if (shape[i].value != shape[i].wanted)
            return fail(r, "%s: %u is not supported with l2_hash, only %u is", shape[i].key,
                        shape[i].value, shape[i].wanted);
    if (p->l2_kb % least || !is_power_of_two(p->l2_kb / least))
        return fail(r, "l2_kb: %u is not supported with l2_hash, only %u times a power of two is",
                    p->l2_kb, least);
    return 0;
}

/* Limits that concern several keys. */
static int check_shape(reader_t *r, const sg_profile_t *p)
{
    r->line = 0;
    if (p->name[0] == '\0') return fail(r, "the key \"name\" is missing");
    const isa_arch_t *arch = isa_arch_find(p->gfx_target_version);
    if (check_places(r, p, arch) != 0 || check_hash(r, p, arch) != 0) return -1;
    if (p->l1_tags_by_line && arch->vector_line != 128)
        return fail(r, "l1_tags_by_line: lines of the vector L1 of %s have %u bytes, it needs 128",
                    arch->name, arch->vector_line);
    if (p->mall_latency && p->mall_latency < p->l2_latency)
        return fail(r, "mall_latency: %u is less than l2_latency, which is %u", p->mall_latency,
                    p->l2_latency);
    if (p->mall_latency > p->vram_latency)
        return fail(r, "mall_latency: %u is more than vram_latency, which is %u", p->mall_latency,
                    p->vram_latency);
    if (p->cus_per_array % unit_cus(p))
        return fail(r, "cus_per_array: %u is not a multiple of %u, which a workgroup processor has",
                    p->cus_per_array, unit_cus(p));
    if (p->lds_kb << 10 > arch->group_lds)
        return fail(r, "lds_kb: %u is more than a workgroup of %s can have, which is %u", p->lds_kb,
                    arch->name, arch->group_lds >> 10);
    uint32_t scratch_waves = sg_profile_cus(p) * p->scratch_slots_per_cu;
    if (scratch_waves % p->shader_engines) /* ROCr asserts this when it sizes scratch */
        return fail(r,
                    "%u scratch waves (compute units times scratch_slots_per_cu) do not divide "
                    "among %u shader_engines",
                    scratch_waves, p->shader_engines);
    return 0;
}

static int read_lines(reader_t *r, sg_profile_t *out)
{
    char line[LINE_LIMIT];
    int result = 0;
    FILE *f = base_file_stream(r->path, "re");
    if (!f) return fail(r, "%s", strerror(errno));
    while (result == 0 && fgets(line, sizeof(line), f)) {
        r->line++;
        size_t n = strlen(line);
        if (n == sizeof(line) - 1 && line[n - 1] != '\n')
            result = fail(r, "the line is longer than %d characters", LINE_LIMIT - 2);
        else
            result = read_line(r, line, out);
    }
    const int error = errno;
    if (result == 0 && ferror(f)) {
        r->line = 0;
        result = fail(r, "%s", strerror(error));
    }
    fclose(f);
    return result;
}

int sg_profile_read(const char *path, sg_profile_t *out, char *error, size_t error_size)
{
    reader_t r = {.path = path, .error = error, .error_size = error_size};
    set_defaults(out);
    if (read_lines(&r, out) != 0 || check_shape(&r, out) != 0) return -1;
    out->most_engines = out->shader_engines;
    out->most_array_cus = out->cus_per_array;
    if (!out->cus) return 0;
    char why[256];
    return sg_profile_set_cus(out, out->cus, why, sizeof(why)) == 0 ? 0 : fail(&r, "cus: %s", why);
}

static int is_profile(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name), suffix = strlen(SUFFIX);
    return length > suffix && strcmp(entry->d_name + length - suffix, SUFFIX) == 0;
}

int sg_profile_names(const char *directory, char ***names)
{
    struct dirent **entries;
    const int n = scandir(directory, &entries, is_profile, alphasort);
    *names = n < 0 ? NULL : calloc((size_t)n + 1, sizeof(**names));
    for (int i = 0; i < n; i++) {
        const size_t length = strlen(entries[i]->d_name) - strlen(SUFFIX);
        if (*names) (*names)[i] = strndup(entries[i]->d_name, length);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
    return *names ? n : -1;
}

void sg_profile_names_free(char **names)
{
    for (char **name = names; name && *name; name++)
        free(*name);
    free(names);
}

/* Appends the names of the existing profiles to the message that one does not exist. */
static void add_names(const char *directory, char *error, size_t error_size)
{
    char **names;
    if (sg_profile_names(directory, &names) <= 0) {
        sg_profile_names_free(names);
        return;
    }
    size_t n = strlen(error);
    for (char **name = names; *name && n < error_size; name++) {
        const int more = snprintf(error + n, error_size - n, "%s%s",
                                  name == names ? "; there are " : ", ", *name);
        n += more > 0 ? (size_t)more : 0;
    }
    sg_profile_names_free(names);
}

int sg_profile_load(const char *name, const char *directory, sg_profile_t *out, char *error,
                    size_t error_size)
{
    char path[4096];
    if (strchr(name, '/')) return sg_profile_read(name, out, error, error_size);
    int n = snprintf(path, sizeof(path), "%s/%s" SUFFIX, directory, name);
    if (n < 0 || (size_t)n >= sizeof(path)) {
        snprintf(error, error_size, "%s: the profile's name is too long", name);
        return -1;
    }
    const int result = sg_profile_read(path, out, error, error_size);
    if (result != 0 && access(path, F_OK) != 0) add_names(directory, error, error_size);
    return result;
}

uint32_t sg_profile_cus(const sg_profile_t *p)
{
    return p->cus ? p->cus : p->num_xcc * sg_profile_places(p);
}

uint32_t sg_profile_places(const sg_profile_t *p)
{
    return p->shader_engines * p->arrays_per_engine * p->cus_per_array;
}

uint32_t sg_profile_array_cus(const sg_profile_t *p, uint32_t engine, uint32_t array)
{
    const uint32_t arrays = p->shader_engines * p->arrays_per_engine, unit = unit_cus(p);
    const uint32_t before = array * p->shader_engines + engine; /* units are dealt in this order */
    return (sg_profile_cus(p) / p->num_xcc / unit + arrays - 1 - before) / arrays * unit;
}

sg_profile_at_t sg_profile_locate(const sg_profile_t *p, uint32_t turn)
{
    const uint32_t all = p->shader_engines * p->arrays_per_engine, unit = unit_cus(p);
    const uint32_t cus = sg_profile_cus(p) / p->num_xcc, every = cus / unit / all;
    uint32_t n = turn / p->num_xcc, arrays = all, cu = 0;
    if (n >= every * unit * all) { /* beyond the units that every array has */
        n -= every * unit * all;
        cu = every * unit;
        arrays = (cus + unit - 1) / unit - every * all;
    }
    const uint32_t array = n % arrays;
    return (sg_profile_at_t){.xcc = turn % p->num_xcc,
                             .engine = array % p->shader_engines,
                             .array = array / p->shader_engines,
                             .cu = cu + n / arrays};
}

int sg_profile_set_cus(sg_profile_t *p, uint32_t cus, char *error, size_t error_size)
{
#define ROW(key, otherwise, lo, hi) LIMIT_##key = hi,
    enum { SG_PROFILE_KEYS(ROW) };
#undef ROW
    const uint32_t most = p->most_engines;
    const uint32_t of_each = p->num_xcc * p->arrays_per_engine; /* arrays, by engines of a die */
    const uint32_t unit = unit_cus(p);
    uint32_t engines = 1;
    while (engines * 2 <= most && cus % (engines * 2 * of_each * unit) == 0)
        engines *= 2;
    if (cus % (most * of_each * unit) == 0) engines = most; /* `most` need not be a power of two */
    uint32_t arrays = engines * of_each;
    if (cus % (p->num_xcc * unit) == 0 && cus / arrays > LIMIT_cus_per_array &&
        cus <= most * of_each * p->most_array_cus) {
        p->shader_engines = most;
        p->cus_per_array = p->most_array_cus;
        p->cus = cus;
        return 0;
    }
    if (cus == 0 || cus % (arrays * unit) || cus / arrays > LIMIT_cus_per_array) {
        char dies[32] = "";
        if (p->num_xcc > 1) snprintf(dies, sizeof(dies), "%u XCCs with ", p->num_xcc);
        snprintf(error, error_size,
                 "%u compute units cannot be shared out evenly over %sat most %u shader "
                 "engines with %u arrays of at most %d compute units each",
                 cus, dies, most, p->arrays_per_engine, LIMIT_cus_per_array);
        return -1;
    }
    p->shader_engines = engines;
    p->cus_per_array = cus / arrays;
    p->cus = cus;
    return 0;
}

/* Modes of partitions: the number of parts (0: one for each die), and the number of which the dies
 * must be a multiple, as in the driver. */
static const struct {
    const char *name;
    uint32_t parts, multiple;
} modes[] = {{"spx", 1, 1}, {"dpx", 2, 4}, {"tpx", 3, 3}, {"qpx", 4, 4}, {"cpx", 0, 2}};

uint32_t sg_profile_partition(sg_profile_t *p, const char *mode, char *error, size_t error_size)
{
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (strcmp(mode, modes[i].name) != 0) continue;
        const uint32_t parts = modes[i].parts ? modes[i].parts : p->num_xcc;
        if (p->num_xcc % modes[i].multiple) {
            snprintf(error, error_size, "%s needs a multiple of %u XCCs, and %s has %u", mode,
                     modes[i].multiple, p->name, p->num_xcc);
            return 0;
        }
        p->num_xcc /= parts;
        p->cus /= parts;
        p->mall_kb /= parts;
        p->vram_mb /= parts;
        const uint32_t engines = (p->sdma_engines + p->sdma_xgmi_engines) / parts;
        if (p->sdma_engines > engines) p->sdma_engines = engines;
        p->sdma_xgmi_engines = engines - p->sdma_engines;
        return parts;
    }
    snprintf(error, error_size, "%s is none of spx, dpx, tpx, qpx and cpx", mode);
    return 0;
}
