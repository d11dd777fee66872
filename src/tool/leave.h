/* leave.h - the ways a program leaves without exit handlers: _exit, exec, abort, fatal signals. */
#ifndef CROCPROF_TOOL_LEAVE_H
#define CROCPROF_TOOL_LEAVE_H

/* Handles the signals that would end the process and for which the program has no handler. The
 * program sees SIG_DFL when it asks, and can set handlers of its own. Also covers quick_exit. */
void tool_leave_watch(int signals);

#endif
