/* escape.c - reads texts that end with a zero from standard input and writes what they become in a
 * form, whose number is the argument, each again with a zero behind it; number 7 is a shell's word.
 */
#include "base/escape.h"

#include <stdlib.h>

enum { WORD = BASE_TERMINAL + 1 };

int main(int count, char **arguments)
{
    const int form = count > 1 ? atoi(arguments[1]) : 0;
    char *text = NULL;
    size_t room = 0;
    while (getdelim(&text, &room, '\0', stdin) >= 0) {
        if (form == WORD)
            base_put_word(stdout, text);
        else
            base_put(stdout, (base_escape_t)form, text);
        fputc('\0', stdout);
    }
    free(text);
    return fflush(stdout) == 0 ? 0 : 1;
}
