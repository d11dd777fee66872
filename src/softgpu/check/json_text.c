/* json_text.c - see json_text.h. */
#include "softgpu/check/json_text.h"

#include "base/file.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char chk_version[] = CROCPROF_VERSION;

void chk_json_string(FILE *f, const char *text)
{
    fputc('"', f);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const size_t n = base_utf8_bytes((const char *)at);
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
