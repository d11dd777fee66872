/* leave.h - the ways a program leaves without exit handlers: _exit, exec, abort, fatal signals. */
#ifndef CROCPROF_TOOL_LEAVE_H
#define CROCPROF_TOOL_LEAVE_H

/* Takes the signals that would end the process and that nobody has asked for. The program sees
 * SIG_DFL when it asks, and replaces the handler as it likes. Also covers quick_exit. */
void tool_leave_watch(int signals);

#endif
