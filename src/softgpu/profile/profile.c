/* profile.c - reads a GPU profile: lines of "key value", # starts a comment.
 *
 * The file may be the user's, so every error in it is found and reported here, and no other code
 * has to check a value of the profile. The keys and their limits are rows of SG_PROFILE_KEYS
 * (profile.h); a new key needs a row there and nothing here. Which GPUs there are, isa/arch.c
 * knows. */
#include "softgpu/profile/profile.h"

#include "base/file.h"
#include "isa/arch.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_LIMIT = 512 };

typedef struct {
    const char *path;
    unsigned line;
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
    char known[256];
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

static int set_key(const reader_t *r, const char *key, const char *value, sg_profile_t *out)
{
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

/* A wave reads in HW_ID where it is: each place of the GPU needs a number of its own there. */
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

/* Limits that concern several keys. */
static int check_shape(reader_t *r, const sg_profile_t *p)
{
    r->line = 0;
    if (p->name[0] == '\0') return fail(r, "the key \"name\" is missing");
    if (check_places(r, p, isa_arch_find(p->gfx_target_version)) != 0) return -1;
    uint32_t scratch_waves = sg_profile_cus(p) * p->scratch_slots_per_cu;
    if (scratch_waves % p->shader_engines) /* ROCr asserts this when it sizes scratch */
        return fail(r,
                    "%u scratch waves (compute units times scratch_slots_per_cu) do not divide "
                    "among %u shader_engines",
                    scratch_waves, p->shader_engines);
    return 0;
}

int sg_profile_read(const char *path, sg_profile_t *out, char *error, size_t error_size)
{
    reader_t r = {path, 0, error, error_size};
    char line[LINE_LIMIT];
    int result = -1;
    FILE *f = base_file_stream(path, "re");
    if (!f) return fail(&r, "%s", strerror(errno));

    set_defaults(out);
    while (fgets(line, sizeof(line), f)) {
        r.line++;
        size_t n = strlen(line);
        if (n == sizeof(line) - 1 && line[n - 1] != '\n') {
            fail(&r, "the line is longer than %d characters", LINE_LIMIT - 2);
            goto out;
        }
        if (read_line(&r, line, out) != 0) goto out;
    }
    if (ferror(f)) {
        r.line = 0;
        fail(&r, "%s", strerror(errno));
        goto out;
    }
    result = check_shape(&r, out);
out:
    fclose(f);
    return result;
}

int sg_profile_load(const char *name, const char *directory, sg_profile_t *out, char *error,
                    size_t error_size)
{
    char path[4096];
    if (strchr(name, '/')) return sg_profile_read(name, out, error, error_size);
    int n = snprintf(path, sizeof(path), "%s/%s.profile", directory, name);
    if (n < 0 || (size_t)n >= sizeof(path)) {
        snprintf(error, error_size, "%s: the profile's name is too long", name);
        return -1;
    }
    return sg_profile_read(path, out, error, error_size);
}

uint32_t sg_profile_cus(const sg_profile_t *p)
{
    return p->num_xcc * p->shader_engines * p->arrays_per_engine * p->cus_per_array;
}

int sg_profile_set_cus(sg_profile_t *p, uint32_t cus, char *error, size_t error_size)
{
#define ROW(key, otherwise, lo, hi) LIMIT_##key = hi,
    enum { SG_PROFILE_KEYS(ROW) };
#undef ROW
    const uint32_t of_each = p->num_xcc * p->arrays_per_engine; /* arrays, by engines of a die */
    uint32_t engines = 1;
    while (engines * 2 <= p->shader_engines && cus % (engines * 2 * of_each) == 0)
        engines *= 2;
    uint32_t arrays = engines * of_each;
    if (cus == 0 || cus % arrays || cus / arrays > LIMIT_cus_per_array) {
        snprintf(error, error_size,
                 "%u compute units cannot be shared out evenly over at most %u shader engines with "
                 "%u arrays of at most %d compute units each",
                 cus, p->shader_engines, p->arrays_per_engine, LIMIT_cus_per_array);
        return -1;
    }
    p->shader_engines = engines;
    p->cus_per_array = cus / arrays;
    return 0;
}
