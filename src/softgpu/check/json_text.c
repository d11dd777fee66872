/* json_text.c - see json_text.h. */
#include "softgpu/check/json_text.h"

#include "base/file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char chk_version[] = CROCPROF_VERSION;

/* The size of the UTF-8 character that begins there; 0: it is no valid one. */
static size_t utf8_bytes(const unsigned char *at)
{
    const size_t n = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
    if (*at > 0xf4) return 0;
    for (size_t k = 1; k < n; k++)
        if ((at[k] & 0xc0) != 0x80) return 0;
    /* overlong, half of a UTF-16 pair, or beyond the last character */
    const bool bad = (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) ||
                     (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f);
    return bad ? 0 : n;
}

void chk_json_string(FILE *f, const char *text)
{
    fputc('"', f);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const size_t n = utf8_bytes(at);
        if (!n)
            fputs("\\ufffd", f);
        else if (*at == '"' || *at == '\\')
            fprintf(f, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(f, "\\u%04x", *at);
        else
            fwrite(at, 1, n, f);
        at += n ? n : 1;
    }
    fputc('"', f);
}

void chk_json_command(FILE *f)
{
    char *word = NULL;
    size_t room = 0;
    FILE *words = base_file_stream("/proc/self/cmdline", "re");
    fputc('[', f);
    for (bool first = true; words && getdelim(&word, &room, 0, words) > 0; first = false) {
        if (!first) fputc(',', f);
        chk_json_string(f, word);
    }
    fputc(']', f);
    if (words) fclose(words);
    free(word);
}
