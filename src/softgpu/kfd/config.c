/* config.c - options of the software GPU: environment variables, which override the profile.
 *
 * Only this file reads the options that describe the GPU. It also refuses a wrong SOFTGPU_THREADS,
 * which the device reads. The options are read once per process and inherited by fork. */
#include "softgpu/kfd/kfd.h"

#include "isa/arch.h"

#include "base/env.h"
#include "base/log.h"
#include "base/words.h"
#include "softgpu/profile/options.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static kfd_config_t config;
static bool valid;

/* The folder of the profiles: share/softgpu, found from lib/softgpu, where this library is, in the
 * build tree as in an installation. */
static bool profile_directory(char *buffer, size_t size)
{
    static const char anchor;
    Dl_info self;
    if (!dladdr(&anchor, &self) || !self.dli_fname) return false;
    const char *slash = strrchr(self.dli_fname, '/');
    int length = slash ? (int)(slash - self.dli_fname) : 1;
    int n =
        snprintf(buffer, size, "%.*s/../../share/softgpu", length, slash ? self.dli_fname : ".");
    return n > 0 && (size_t)n < size;
}

/* Leaves *number unchanged if the variable is unset or empty. A wrong value is reported, and the
 * process gets no GPU, rather than one that the user did not choose. */
static bool read_number(sg_option_id_t id, uint32_t *number)
{
    const sg_option_t *o = &sg_options[id];
    const char *value = base_env(o->variable);
    uint64_t n;
    if (!value || !*value) return true;
    if (!base_number(value, o->least, o->most, &n)) {
        base_error("%s=%s is not a whole number from %u to %u", o->variable, value, o->least,
                   o->most);
        return false;
    }
    *number = (uint32_t)n;
    return true;
}

/* Where the times of kernels come from: "host" (default) or "model". */
static bool read_time(uint32_t *model)
{
    const sg_option_t *o = &sg_options[SG_OPTION_TIME];
    const char *value = base_env(o->variable);
    if (!value || !*value) return true;
    *model = strcmp(value, o->words[1]) == 0;
    if (*model || strcmp(value, o->words[0]) == 0) return true;
    base_error("%s=%s is neither %s nor %s", o->variable, value, o->words[0], o->words[1]);
    return false;
}

/* Whether hot code is translated: leaves *t unchanged if the variable is unset or empty. */
static bool read_how(sg_translate_t *t)
{
    const sg_option_t *o = &sg_options[SG_OPTION_TRANSLATE];
    const char *value = base_env(o->variable);
    if (!value || !*value) return true;
    for (unsigned n = ISA_TRANSLATE_OFF; n <= ISA_TRANSLATE_VERIFY; n++)
        if (strcmp(value, o->words[n]) == 0) {
            t->how = (isa_translate_t)n;
            return t->chosen = true;
        }
    base_error("%s=%s is none of %s, %s and %s", o->variable, value, o->words[0], o->words[1],
               o->words[2]);
    return false;
}

/* Reads the settings of the translator: whether hot code is translated, and within which limits. */
static bool read_translate(void)
{
    sg_translate_t t = {.how = ISA_TRANSLATE_ON,
                        .after = ISA_TRANSLATE_AFTER,
                        .milliseconds = ISA_TRANSLATE_MS,
                        .share = ISA_TRANSLATE_SHARE,
                        .kept = ISA_TRANSLATE_KEPT};
    uint32_t aside = 1;
    if (!read_how(&t) || !read_number(SG_OPTION_TRANSLATE_AFTER, &t.after) ||
        !read_number(SG_OPTION_TRANSLATE_TIME, &t.milliseconds) ||
        !read_number(SG_OPTION_TRANSLATE_SHARE, &t.share) ||
        !read_number(SG_OPTION_TRANSLATE_CACHE, &t.kept) ||
        !read_number(SG_OPTION_TRANSLATE_ASIDE, &aside))
        return false;
    t.aside = aside != 0;
    sg_device_translate(&t);
    return true;
}

/* Reads the profile that one of the two variables names. */
static bool read_profile(sg_profile_t *profile)
{
    char directory[PATH_MAX], error[PATH_MAX + 1024];
    const char *name = base_env(sg_options[SG_OPTION_GPU].variable);
    if (!name || !*name) name = base_env(sg_options[SG_OPTION_PROFILE].variable);
    if (!name || !*name) name = "mi210";
    if (!profile_directory(directory, sizeof(directory))) {
        base_error("cannot tell where libsoftgpu.so is, so not where the profiles are");
        return false;
    }
    if (sg_profile_load(name, directory, profile, error, sizeof(error)) == 0) return true;
    base_error("profile %s", error);
    return false;
}

/* Reads the options for the shape and the number of GPUs. */
static bool read_shape(kfd_config_t *c)
{
    char error[256];
    uint32_t cus = 0;
    const char *mode = base_env(sg_options[SG_OPTION_PARTITION].variable);
    c->n_gpus = c->profile.gpus;
    if (!read_number(SG_OPTION_CUS, &cus) || !read_number(SG_OPTION_GPUS, &c->n_gpus)) return false;
    if (cus && sg_profile_set_cus(&c->profile, cus, error, sizeof(error)) != 0) {
        base_error("SOFTGPU_CUS: %s", error);
        return false;
    }
    if (!mode || !*mode) return true;
    const uint32_t parts = sg_profile_partition(&c->profile, mode, error, sizeof(error));
    if (!parts) {
        base_error("SOFTGPU_PARTITION: %s", error);
        return false;
    }
    if (c->n_gpus * parts > KFD_MAX_GPUS) {
        base_error("SOFTGPU_PARTITION: %u GPUs of %u parts each, and %d parts are the most",
                   c->n_gpus, parts, KFD_MAX_GPUS);
        return false;
    }
    c->n_gpus *= parts;
    return true;
}

static void read_config(void)
{
    base_log_init("softgpu", sg_options[SG_OPTION_LOG].variable);
    uint32_t threads = 0, svm = 1, spread = 1;
    /* the thunk of ROCm 6 uses no feature that came after 1.17 */
    config.minor_version = 17;
    if (!read_profile(&config.profile) || !read_shape(&config) ||
        !read_number(SG_OPTION_COUNTERS, &config.profile.counter_slots) ||
        !read_number(SG_OPTION_THREADS, &threads) ||
        !read_number(SG_OPTION_KFD_MINOR, &config.minor_version) ||
        !read_number(SG_OPTION_SVM, &svm) || !read_number(SG_OPTION_SPREAD, &spread) ||
        !read_time(&config.profile.model_time) || !read_translate())
        return;
    config.svm = svm != 0;
    sg_device_spread(spread != 0);
    valid = true;
}

const kfd_config_t *kfd_config(void)
{
    pthread_once(&once, read_config);
    return valid ? &config : NULL;
}
