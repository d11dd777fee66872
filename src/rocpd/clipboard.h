/* clipboard.h - puts a text into the clipboard of the desktop, by a program of the desktop. */
#ifndef CROCPROF_ROCPD_CLIPBOARD_H
#define CROCPROF_ROCPD_CLIPBOARD_H

#include <stddef.h>

/* Returns 0, or -1 after reporting the reason. */
int rocpd_clipboard(const char *text, size_t bytes);

#endif
