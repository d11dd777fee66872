/* arguments.c - see arguments.h. */
#include "base/arguments.h"

#include <string.h>

#include "base/words.h"

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1];
}

bool base_arguments_next(base_arguments_t *a)
{
    if (a->next >= a->argc) return false;
    const char *word = a->word = a->argv[a->next++];
    const bool is_long = word[0] == '-' && word[1] == '-';
    a->option = is_option(word);
    a->name = word + (is_long ? 2 : 1);
    a->bytes = is_long ? strcspn(a->name, "=") : 0;
    a->attached = NULL;
    if (!a->option) return true;
    const char *rest = a->name + (is_long ? a->bytes : 1);
    if (*rest) a->attached = rest + (*rest == '=');
    return true;
}

bool base_arguments_are(const base_arguments_t *a, const char *name, char letter)
{
    if (!a->bytes) return letter && *a->name == letter;
    return strlen(name) == a->bytes && memcmp(name, a->name, a->bytes) == 0;
}

static bool follows(const base_arguments_t *a, base_takes_t takes)
{
    if (a->next >= a->argc || is_option(a->argv[a->next])) return false;
    return takes != BASE_TAKES_TRUTH || base_truth(a->argv[a->next]) >= 0;
}

size_t base_arguments_words(base_arguments_t *a, base_takes_t takes, const char *const **words)
{
    size_t count = 0;
    *words = a->attached ? &a->attached : (const char *const *)a->argv + a->next;
    if (a->attached) return 1;
    while ((takes == BASE_TAKES_SEVERAL || (takes != BASE_TAKES_NOTHING && !count)) &&
           follows(a, takes)) {
        a->next++;
        count++;
    }
    return count;
}
