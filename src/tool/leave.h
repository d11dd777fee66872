/* leave.h - saves records if a program ends without exit handlers: by _exit, exec, abort or a fatal
 * signal. */
#ifndef CROCPROF_TOOL_LEAVE_H
#define CROCPROF_TOOL_LEAVE_H

/* Handles the signals that would end the process and for which the program has no handler. The
 * program reads SIG_DFL for these signals and can set handlers of its own. quick_exit is covered,
 * too. */
void tool_leave_watch(int signals);

#endif
