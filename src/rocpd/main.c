/* main.c - rocpd: reads the databases that rocprofv3 writes. Each sub-command is a row here. */
#include <stdio.h>
#include <string.h>

#include "base/program.h"
#include "rocpd/commands.h"

static void on_signal(int number)
{
    db_interrupted = number;
}

static void take_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        sigaction(numbers[i], &action, NULL);
}

int main(int argc, char **argv)
{
    /* ORDER: rocpd_command_t */
    static int (*const commands[ROCPD_COMMAND_COUNT])(const rocpd_options_t *,
                                                      const rocpd_files_t *) = {
        rocpd_convert, rocpd_query, rocpd_summary, rocpd_merge, rocpd_package};
    rocpd_options_t options;
    rocpd_files_t files = {0};
    int status = 0;
    base_program_begin("rocpd", "ROCPD_LOG_LEVEL", 1);
    take_signals();
    if (argc > 1 && strcmp(argv[1], "reduce") == 0) {
        status = rocpd_reduce_command(argc - 1, argv + 1);
        return db_interrupted ? 128 + db_interrupted : status;
    }
    if (rocpd_options_read(&options, argc, argv, &status) == 0) {
        status = rocpd_files_find(&files, &options) == 0 ? 0 : 2;
        if (status == 0) status = commands[options.command](&options, &files) == 0 ? 0 : 1;
    }
    rocpd_files_free(&files);
    rocpd_options_free(&options);
    return db_interrupted ? 128 + db_interrupted : status;
}
