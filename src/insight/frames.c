/* frames.c - see frames.h. */
#include "insight/frames.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "insight/sources.h"

ins_frame_t ins_frame(const ins_instruction_t *i, size_t level)
{
    const dis_inlined_t *in = level < i->inlined_count ? &i->inlined[level] : NULL;
    const dis_inlined_t *at = level ? &i->inlined[level - 1] : NULL;
    return (ins_frame_t){in ? in->function : i->function, at ? at->file : i->file,
                         at ? at->line : i->line};
}

static bool is_users(const ins_frame_t *f, const char *unit)
{
    if (!f->line || !*f->file) return false;
    return (unit && strcmp(f->file, unit) == 0) || !ins_source_is_header(f->file);
}

size_t ins_user_level(const ins_instruction_t *i, const char *unit)
{
    for (size_t level = i->inlined_count + 1; level-- > 0;) {
        const ins_frame_t f = ins_frame(i, level);
        if (is_users(&f, unit)) return level;
    }
    return 0;
}

size_t ins_level_at(const ins_instruction_t *i, const char *file, uint32_t line)
{
    for (size_t level = i->inlined_count + 1; level-- > 0;) {
        const ins_frame_t f = ins_frame(i, level);
        if (f.line == line && strcmp(f.file, file) == 0) return level;
    }
    return i->inlined_count + 1;
}

void ins_inlined_text(const ins_instruction_t *i, size_t level, char *text, size_t room)
{
    size_t used = 0;
    *text = '\0';
    while (level-- > 0 && used < room) {
        const ins_frame_t f = ins_frame(i, level);
        used += (size_t)snprintf(text + used, room - used, "%s%s", used ? " > " : "", f.function);
        if (f.line && used < room)
            used += (size_t)snprintf(text + used, room - used, " %s:%u", base_last_part(f.file),
                                     f.line);
    }
}
