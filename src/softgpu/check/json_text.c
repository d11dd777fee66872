/* json_text.c - see json_text.h: the command line comes from /proc. */
#include "softgpu/check/json_text.h"

#include "base/file.h"

#include <stdbool.h>
#include <stdlib.h>

const char chk_version[] = CROCPROF_VERSION;

void chk_json_command(FILE *f)
{
    char *word = NULL;
    size_t room = 0;
    FILE *words = base_file_stream("/proc/self/cmdline", "re");
    fputc('[', f);
    for (bool first = true; words && getdelim(&word, &room, 0, words) > 0; first = false) {
        if (!first) fputc(',', f);
        base_put_json(f, word);
    }
    fputc(']', f);
    if (words) fclose(words);
    free(word);
}
