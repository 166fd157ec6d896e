/* Joins two command lines; the option parser reads the result as any other. */
#include "cli/options/replay.h"

#include <inttypes.h>

#include "cli/options/scan.h"

/* Append what is of `kind` in a command line: words as they are, and options as
 * "--name=value", less those whose bits are `dropped`. */
static enum mb_status add(struct mb_strlist *args, int argc, char *const *argv,
                          enum mb_scan_kind kind, uint64_t dropped, struct mb_err *err)
{
    struct mb_scan scan = {.argc = argc, .argv = argv};
    struct mb_scan_item item = {.kind = MB_SCAN_VERB};
    while (item.kind != MB_SCAN_END) {
        MB_DO(mb_scan_next(&scan, &item, err));
        const char *value = item.value != NULL ? item.value : "";
        MB_FAIL_IF(scan.verb != MB_VERB_RUN, err, MB_ERRC_USAGE,
                   "--replay repeats a run, not '%s'", mb_verb_rows[scan.verb].name);
        if (item.kind == MB_SCAN_WORD && item.kind == kind) {
            MB_DO(mb_strlist_add(args, err, "%s", value));
        } else if (item.kind == kind && (mb_option_bit(item.row) & dropped) == 0) {
            MB_DO(mb_strlist_add(args, err, "--%s%s%s", item.row->name,
                                 item.value != NULL ? "=" : "", value));
        }
    }
    return MB_OK;
}

/* Options of the recorded line that are left out; its seed is known from the results. */
static uint64_t find_dropped(uint64_t given)
{
    const uint64_t sizes = mb_option_bit_of("size") | mb_option_bit_of("sweep");
    uint64_t dropped =
        given & ~(mb_option_bit_of("kernel") | mb_option_bit_of("kernel-include"));
    dropped |= (given & sizes) != 0 ? sizes : 0;
    for (size_t i = 0; i < mb_option_count; i++) {
        const struct mb_option_row *row = &mb_option_rows[i];
        if (row->group == MB_GROUP_OUTPUT || row->group == MB_GROUP_GENERAL ||
            !mb_option_goes_with(row, MB_VERB_RUN)) {
            dropped |= mb_option_bit(row);
        }
    }
    return dropped | mb_option_bit_of("replay") | mb_option_bit_of("seed");
}

enum mb_status mb_replay_join(const struct mb_options *options, const struct mb_run *recorded,
                              struct mb_strlist *args, struct mb_err *err)
{
    const int n_old = (int)recorded->command.n;
    char *const *old = recorded->command.items;
    struct mb_err why = {0};
    MB_FAIL_IF(n_old == 0, err, MB_ERRC_INPUT, "%s: it does not say how it was run",
               recorded->path);
    MB_DO(mb_strlist_add(args, err, "%s", options->argv[0]));
    MB_DO(mb_strlist_add(args, err, "run"));
    MB_DO(mb_strlist_add(args, err, "--seed=%" PRIu64, recorded->seed));
    const enum mb_status status =
        add(args, n_old, old, MB_SCAN_OPTION, find_dropped(options->given), &why);
    MB_FAIL_IF(status != MB_OK, err, why.code == MB_ERRC_USAGE ? MB_ERRC_INPUT : why.code,
               "%s: its command line: %s", recorded->path, why.text);
    MB_DO(add(args, options->argc, options->argv, MB_SCAN_OPTION, mb_option_bit_of("replay"),
              err));
    MB_DO(mb_strlist_add(args, err, "--"));
    return options->inputs.n > 0 ? add(args, options->argc, options->argv, MB_SCAN_WORD, 0, err)
                                 : add(args, n_old, old, MB_SCAN_WORD, 0, err);
}

enum mb_status mb_replay_options(const struct mb_run *recorded, struct mb_strlist *args,
                                 struct mb_err *err)
{
    const int n = (int)recorded->command.n;
    struct mb_err why = {0};
    const enum mb_status status =
        n > 0 ? add(args, n, recorded->command.items, MB_SCAN_OPTION, find_dropped(0), &why)
              : MB_OK;
    if (status != MB_OK && why.code != MB_ERRC_USAGE) {
        *err = why;
        return status;
    }
    return MB_OK;
}
