/* rules.c - see rules.h: reads the rules, matches findings, and writes the rule that would suppress
 * a finding. */
#include "softgpu/check/rules.h"

#include "base/file.h"
#include "base/grow.h"
#include "base/text.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert(CHK_KIND_COUNT <= 64, "a rule has a bit for each kind");

typedef struct {
    char *file; /* a pattern with wildcards; NULL: any */
    char *line; /* digits; NULL: any */
} lines_t;

typedef struct {
    char *place, *text;
    uint64_t kinds;
    bool has_kernel;
    regex_t kernel;
    lines_t at, made;
    char *call;
} rule_t;

struct chk_rules {
    rule_t *rule;
    size_t n;
};

/* The position in the rules' text, and the buffer for the reason of a refusal. */
typedef struct {
    const char *at, *end;
    const char *name;
    unsigned line;
    char *why;
    size_t room;
} reader_t;

__attribute__((format(printf, 2, 3))) static bool refuse(reader_t *r, const char *format, ...)
{
    va_list words;
    const int n = snprintf(r->why, r->room, "%s:%u: ", r->name, r->line);
    va_start(words, format);
    if (n >= 0 && (size_t)n < r->room) vsnprintf(r->why + n, r->room - (size_t)n, format, words);
    va_end(words);
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(reader_t *r)
{
    while (r->at < r->end && is_blank(*r->at))
        r->at++;
}

/* Reads the next word, without its quotes, into `word`. False: the line has no more, or (*good is
 * false) the word is refused. */
static bool next_word(reader_t *r, char *word, bool *good)
{
    bool quoted = false;
    *good = true;
    skip_blanks(r);
    if (r->at == r->end || *r->at == '#') return false;
    while (r->at < r->end && (quoted || !is_blank(*r->at))) {
        const char c = *r->at++;
        if (c == '"')
            quoted = !quoted;
        else if (c == '\\' && quoted && r->at < r->end && (*r->at == '"' || *r->at == '\\'))
            *word++ = *r->at++;
        else
            *word++ = c;
    }
    *word = 0;
    if (quoted) *good = refuse(r, "a quote is not closed");
    return !quoted;
}

static uint64_t kinds_of(const char *word)
{
    uint64_t kinds = 0;
    for (unsigned k = 0; k < CHK_KIND_COUNT; k++)
        if (!strcmp(word, "*") || !strcmp(word, chk_kinds[k].name) ||
            !strcmp(word, chk_family_name(chk_kinds[k].family)))
            kinds |= UINT64_C(1) << k;
    return kinds;
}

static bool out_of_memory(reader_t *r)
{
    return refuse(r, "%s", strerror(ENOMEM));
}

static bool set_text(reader_t *r, char **slot, const char *value)
{
    free(*slot);
    *slot = strdup(value);
    return *slot || out_of_memory(r);
}

static bool set_kernel(reader_t *r, rule_t *rule, const char *value)
{
    char problem[128];
    if (rule->has_kernel) return refuse(r, "kernel= stands twice");
    const int error = regcomp(&rule->kernel, value, REG_EXTENDED | REG_NOSUB);
    if (error) {
        regerror(error, &rule->kernel, problem, sizeof problem);
        return refuse(r, "kernel=\"%s\": %s", value, problem);
    }
    rule->has_kernel = true;
    return true;
}

/* FILE, FILE:LINE or FILE:*, which is any line */
static bool set_lines(reader_t *r, lines_t *l, const char *value)
{
    free(l->line); /* an earlier at= or made= of the same rule */
    l->line = NULL;
    if (!set_text(r, &l->file, value)) return false;
    char *colon = strrchr(l->file, ':');
    const bool any = colon && strcmp(colon, ":*") == 0;
    if (!colon || (!any && strspn(colon + 1, "0123456789") != strlen(colon + 1)) || !colon[1])
        return true;
    *colon = 0;
    return any || set_text(r, &l->line, colon + 1);
}

static bool set_key(reader_t *r, rule_t *rule, const char *word)
{
    const char *value = strchr(word, '=');
    const int key = value ? (int)(value - word) : 0;
    if (!value || !value[1])
        return refuse(
            r, "\"%s\" is none of kernel=REGEX, at=FILE:LINE, made=FILE:LINE and call=NAME", word);
    value++;
    if (!strncmp(word, "kernel=", 7)) return set_kernel(r, rule, value);
    if (!strncmp(word, "at=", 3)) return set_lines(r, &rule->at, value);
    if (!strncmp(word, "made=", 5)) return set_lines(r, &rule->made, value);
    if (!strncmp(word, "call=", 5)) return set_text(r, &rule->call, value);
    return refuse(r, "\"%.*s\" is none of kernel, at, made and call", key, word);
}

static void free_rule(rule_t *rule)
{
    if (rule->has_kernel) regfree(&rule->kernel);
    free(rule->place);
    free(rule->text);
    free(rule->at.file);
    free(rule->at.line);
    free(rule->made.file);
    free(rule->made.line);
    free(rule->call);
}

/* Reads the rule on a line; rule->kinds is 0 if there is none. */
static bool read_line(reader_t *r, rule_t *rule, char *word)
{
    const char *begin = r->at, *end = r->at;
    bool good;
    if (!next_word(r, word, &good)) return good;
    rule->kinds = kinds_of(word);
    if (!rule->kinds) return refuse(r, "\"%s\" is no kind and no family of findings", word);
    for (end = r->at; next_word(r, word, &good); end = r->at)
        if (!set_key(r, rule, word)) return false;
    if (!good) return false;
    while (is_blank(*begin))
        begin++;
    rule->text = strndup(begin, (size_t)(end - begin));
    if (!rule->text || asprintf(&rule->place, "%s:%u", r->name, r->line) < 0) {
        rule->place = NULL;
        return out_of_memory(r);
    }
    return true;
}

static bool keep(chk_rules_t *rules, const rule_t *rule)
{
    if (!BASE_GROW_BY_ONE(rules->rule, rules->n)) return false;
    rules->rule[rules->n++] = *rule;
    return true;
}

chk_rules_t *chk_rules_parse(const char *text, size_t bytes, const char *name, char *why,
                             size_t room)
{
    reader_t r = {.name = name, .why = why, .room = room};
    chk_rules_t *rules = calloc(1, sizeof *rules);
    char *word = malloc(bytes + 1);
    bool good = (rules && word) || out_of_memory(&r);
    for (size_t at = 0; good && at < bytes;) {
        const char *end = memchr(text + at, '\n', bytes - at);
        rule_t rule = {0};
        r.line++;
        r.at = text + at;
        r.end = end ? end : text + bytes;
        at = (size_t)(r.end - text) + 1;
        good = memchr(r.at, 0, (size_t)(r.end - r.at)) ? refuse(&r, "a zero byte")
                                                       : read_line(&r, &rule, word);
        if (good && rule.kinds && keep(rules, &rule)) continue;
        if (good && rule.kinds) good = out_of_memory(&r);
        free_rule(&rule);
    }
    free(word);
    if (good) return rules;
    chk_rules_free(rules);
    return NULL;
}

chk_rules_t *chk_rules_read(const char *name, char *why, size_t room)
{
    size_t bytes;
    struct stat st;
    const bool there = stat(name, &st) == 0;
    if (there && !S_ISREG(st.st_mode)) { /* a pipe could be read only once, but the launcher and
                                            every process read the file */
        snprintf(why, room, "%s: no file that can be read more than once", name);
        return NULL;
    }
    char *text = there ? base_file_read(name, SIZE_MAX, &bytes) : NULL;
    if (!text) {
        snprintf(why, room, "%s: %s", name, strerror(errno));
        return NULL;
    }
    chk_rules_t *rules = chk_rules_parse(text, bytes, name, why, room);
    free(text);
    return rules;
}

void chk_rules_free(chk_rules_t *r)
{
    for (size_t k = 0; r && k < r->n; k++)
        free_rule(&r->rule[k]);
    if (r) free(r->rule);
    free(r);
}

/* ---- findings ---- */

static bool is_at(const lines_t *l, const char *file, uint32_t line)
{
    char number[16];
    snprintf(number, sizeof number, "%u", line);
    if (l->line && strcmp(l->line, number) != 0) return false;
    return fnmatch(l->file, file, 0) == 0 ||
           (!strchr(l->file, '/') && fnmatch(l->file, base_last_part(file), 0) == 0);
}

/* Whether the rule's lines include one of these. */
static bool is_among(const lines_t *l, const chk_lines_t *lines)
{
    size_t k = 0;
    if (!l->file) return true;
    while (k < lines->n && !is_at(l, lines->file[k], lines->line[k]))
        k++;
    return k < lines->n;
}

static bool means(const rule_t *rule, const chk_subject_t *s)
{
    if (!(rule->kinds >> s->kind & 1)) return false;
    if (rule->has_kernel && (!s->kernel || regexec(&rule->kernel, s->kernel, 0, NULL, 0) != 0))
        return false;
    if (rule->call && (!s->call || strcmp(rule->call, s->call) != 0)) return false;
    return is_among(&rule->at, &s->at) && is_among(&rule->made, &s->made);
}

int chk_rules_find(const chk_rules_t *r, const chk_subject_t *s)
{
    for (size_t k = 0; r && k < r->n; k++)
        if (means(&r->rule[k], s)) return (int)k;
    return CHK_NO_RULE;
}

size_t chk_rules_count(const chk_rules_t *r)
{
    return r ? r->n : 0;
}

const char *chk_rule_place(const chk_rules_t *r, size_t rule)
{
    return r->rule[rule].place;
}

const char *chk_rule_text(const chk_rules_t *r, size_t rule)
{
    return r->rule[rule].text;
}

/* ---- the rule that would suppress a finding ---- */

/* Writes a value between quotes: a backslash before each character of `special`, and a second one
 * before characters that have to be escaped in a quoted value. `any` replaces control
 * characters. */
static void write_quoted(FILE *f, const char *text, const char *special, char any)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ') {
            fputc(any, f);
            continue;
        }
        if (strchr(special, *text)) fputs("\\\\", f);
        if (*text == '"' || *text == '\\') fputc('\\', f);
        fputc(*text, f);
    }
}

void chk_rule_write(FILE *f, const chk_subject_t *s)
{
    fputs(chk_kinds[s->kind].name, f);
    if (s->kernel) {
        fputs(" kernel=\"^", f);
        write_quoted(f, s->kernel, ".[]{}()*+?^$|\\", '.');
        fputs("$\"", f);
    }
    if (s->at.n) {
        fputs(" at=\"", f);
        write_quoted(f, base_last_part(s->at.file[0]), "*?[\\", '?');
        fprintf(f, ":%u\"", s->at.line[0]);
    }
    if (s->call) fprintf(f, " call=%s", s->call);
}
