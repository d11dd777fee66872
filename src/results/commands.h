/* commands.h - sub-commands of rocprofv3 that read results. argv[0] is the sub-command's name; each
 * returns the exit status. */
#ifndef CROCPROF_RESULTS_COMMANDS_H
#define CROCPROF_RESULTS_COMMANDS_H

int res_annotate_command(int argc, char **argv);
int res_code_command(int argc, char **argv);
int res_check_command(int argc, char **argv);
int res_diff_command(int argc, char **argv);
int res_findings_command(int argc, char **argv);
int res_digest_command(int argc, char **argv);

#endif
