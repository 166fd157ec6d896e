/* Joins two command lines. The result is recorded in full, so that the new results.json can be
 * replayed without the old one. */
#include "cli/options/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/os.h"
#include "base/text.h"
#include "cli/options/scan.h"
#include "image/pattern.h"

/* What a command line says: its options as "--name=value", and its inputs. */
struct line {
    uint64_t given; /* those that were found, also if they were dropped */
    struct mb_strlist options, inputs;
};

static void line_finish(struct line *line)
{
    mb_strlist_finish(&line->options);
    mb_strlist_finish(&line->inputs);
}

/* Read a line, less the options whose bits are `dropped`. */
static enum mb_status read_line(struct line *line, int argc, char *const *argv,
                                uint64_t dropped, struct mb_err *err)
{
    struct mb_scan scan = {.argc = argc, .argv = argv};
    struct mb_scan_item item;
    for (;;) {
        MB_DO(mb_scan_next(&scan, &item, err));
        if (item.kind == MB_SCAN_END) {
            return MB_OK;
        }
        if (item.kind == MB_SCAN_WORD) {
            MB_DO(mb_strlist_add(&line->inputs, err, "%s", item.value));
        } else if (item.kind == MB_SCAN_VERB && scan.verb != MB_VERB_RUN) {
            return MB_FAIL(err, MB_ERRC_USAGE, "--replay repeats a run, not '%s'", item.value);
        } else if (item.kind == MB_SCAN_OPTION) {
            line->given |= mb_option_bit(item.row);
            if ((mb_option_bit(item.row) & dropped) == 0) {
                MB_DO(mb_strlist_add(&line->options, err, "--%s%s%s", item.row->name,
                                     item.value != NULL ? "=" : "",
                                     item.value != NULL ? item.value : ""));
            }
        }
    }
    return MB_OK;
}

/* Options not to be taken over from the recorded line: those of output, those that the new line
 * gives itself, and sizes if the new line gives sizes of any kind. More kernels come to those
 * that there were. */
static uint64_t find_dropped(uint64_t given)
{
    given &= ~(mb_option_bit_of("kernel") | mb_option_bit_of("kernel-include"));
    const uint64_t sizes = mb_option_bit_of("size") | mb_option_bit_of("sweep");
    uint64_t dropped = given | mb_option_bit_of("replay");
    dropped |= (given & sizes) != 0 ? sizes : 0;
    for (size_t i = 0; i < mb_option_count; i++) {
        const struct mb_option_row *row = &mb_option_rows[i];
        if (row->group == MB_GROUP_OUTPUT || row->group == MB_GROUP_GENERAL ||
            !mb_option_goes_with(row, MB_VERB_RUN)) {
            dropped |= mb_option_bit(row);
        }
    }
    return dropped;
}

/* Append `prefix` and a recorded path: one that does not exist here, but where the run was
 * started, is taken from there. */
static enum mb_status add_recorded(struct mb_strlist *args,
                                   const struct mb_result_file *recorded, const char *prefix,
                                   const char *path, struct mb_err *err)
{
    char there[MB_PATH_BYTES];
    const bool is_here = recorded->folder[0] == '\0' || mb_os_is_absolute(path) ||
                         mb_pattern_is_spec(path) || mb_os_kind(path) != MB_KIND_NONE;
    snprintf(there, sizeof there, "%s/%s", recorded->folder, path);
    return mb_strlist_add(args, err, "%s%s", prefix,
                          is_here || mb_os_kind(there) == MB_KIND_NONE ? path : there);
}

/* An option of the recorded line; what names a manifest or its folders is such a path. */
static enum mb_status add_recorded_option(struct mb_strlist *args,
                                          const struct mb_result_file *recorded,
                                          const char *option, struct mb_err *err)
{
    static const char *const names[] = {"--kernel=", "--kernel-include="};
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        const size_t n_bytes = strlen(names[i]);
        if (strncmp(option, names[i], n_bytes) == 0) {
            return add_recorded(args, recorded, names[i], option + n_bytes, err);
        }
    }
    return mb_strlist_add(args, err, "%s", option);
}

/* The program, "run", the options of both lines, "--", and the new inputs or the old ones. */
static enum mb_status assemble(struct mb_replay *replay, const char *program,
                               const struct line *old, const struct line *new,
                               struct mb_err *err)
{
    const struct mb_result_file *recorded = &replay->recorded;
    struct mb_strlist *args = &replay->args;
    MB_DO(mb_strlist_add(args, err, "%s", program));
    MB_DO(mb_strlist_add(args, err, "run"));
    for (size_t i = 0; i < old->options.n; i++) {
        MB_DO(add_recorded_option(args, recorded, old->options.items[i], err));
    }
    if (((old->given | new->given) & mb_option_bit_of("seed")) == 0) {
        MB_DO(mb_strlist_add(args, err, "--seed=%" PRIu64, recorded->seed));
    }
    for (size_t i = 0; i < new->options.n; i++) {
        MB_DO(mb_strlist_add(args, err, "%s", new->options.items[i]));
    }
    MB_DO(mb_strlist_add(args, err, "--"));
    for (size_t i = 0; i < new->inputs.n; i++) {
        MB_DO(mb_strlist_add(args, err, "%s", new->inputs.items[i]));
    }
    for (size_t i = 0; replay->has_recorded_inputs && i < old->inputs.n; i++) {
        MB_DO(add_recorded(args, recorded, "", old->inputs.items[i], err));
    }
    return MB_OK;
}

enum mb_status mb_replay_open(struct mb_replay *replay, const char *path, int argc,
                              char *const *argv, struct mb_err *err)
{
    MB_SCOPED(line) old = {0}, new = {0};
    struct mb_err why = {0};
    *replay = (struct mb_replay){0};
    MB_DO(mb_result_file_read(path, &replay->recorded, err));
    const struct mb_result_file *recorded = &replay->recorded;
    MB_FAIL_IF(recorded->argv.n == 0, err, MB_ERRC_INPUT, "%s: it does not say how it was run",
               path);
    MB_DO(read_line(&new, argc, argv, mb_option_bit_of("replay"), err));
    const enum mb_status status = read_line(&old, (int)recorded->argv.n, recorded->argv.items,
                                            find_dropped(new.given), &why);
    MB_FAIL_IF(status != MB_OK, err, why.code == MB_ERRC_USAGE ? MB_ERRC_INPUT : why.code,
               "%s: its command line: %s", recorded->path, why.text);
    replay->has_recorded_inputs = new.inputs.n == 0;
    return assemble(replay, argv[0], &old, &new, err);
}

void mb_replay_hint(const struct mb_replay *replay, struct mb_err *err)
{
    const struct mb_result_file *recorded = &replay->recorded;
    if (replay->has_recorded_inputs && recorded->path != NULL && err->hint[0] == '\0') {
        mb_err_hint(err, "%s was recorded with it%s%s; give another input after --replay",
                    recorded->path, recorded->folder[0] != '\0' ? " in " : "",
                    recorded->folder);
    }
}

/* True if `input` was recorded as `was`, relative to here or to where the run was started. */
static bool is_input(const struct mb_result_file *recorded, const char *input, const char *was)
{
    const size_t n_bytes = strlen(recorded->folder);
    return strcmp(input, was) == 0 ||
           (n_bytes > 0 && strncmp(input, recorded->folder, n_bytes) == 0 &&
            input[n_bytes] == '/' && strcmp(input + n_bytes + 1, was) == 0);
}

/* Warn if what is called so has another digest than it had. */
static void check_digest(const struct mb_result_file *recorded, const char *name,
                         const char *sha256, const char *what)
{
    for (size_t i = 0; i < recorded->kernels.n; i++) {
        const char *was = recorded->kernels.items[i], *digest = strrchr(was, ' ');
        const size_t n_name = digest ? (size_t)(digest - was) : 0;
        if (strncmp(was, name, n_name) == 0 &&
            (name[n_name] == '\0' || n_name >= MB_MODULE_NAME_BYTES) &&
            strcmp(digest + 1, sha256) != 0) {
            mb_log(MB_LOG_WARN, "%s: not the same %s as when %s was recorded", name, what,
                   recorded->path);
        }
    }
}

void mb_replay_check_kernels(const struct mb_replay *replay,
                             const struct mb_strategy *const *table)
{
    const struct mb_result_file *recorded = &replay->recorded;
    for (; recorded->path && *table; table++) {
        const struct mb_kernel_file *file = (*table)->file;
        if (!file) {
            continue;
        }
        check_digest(recorded, (*table)->name, file->sha256, "manifest");
        for (size_t i = 0; i < file->n_shaders; i++) {
            const struct mb_shader *shader = file->shaders[i];
            const struct mb_text name = mb_text("%s %s", shader->name, shader->flags);
            check_digest(recorded, name.s, shader->sha256, "module");
        }
    }
}

void mb_replay_check_inputs(const struct mb_replay *replay, const char *const *inputs,
                            const struct mb_image *images, size_t n)
{
    const struct mb_result_file *recorded = &replay->recorded;
    for (size_t i = 0; i < n; i++) {
        char input[sizeof recorded->folder + sizeof recorded->results->input];
        size_t k = 0;
        mb_utf8_sanitize(inputs[i], input, sizeof input);
        while (k < recorded->n_results &&
               !is_input(recorded, input, recorded->results[k].input)) {
            k++;
        }
        if (k < recorded->n_results && recorded->results[k].input_sha256[0] != '\0' &&
            strcmp(recorded->results[k].input_sha256, images[i].sha256) != 0) {
            mb_log(MB_LOG_WARN, "%s: not the same image as when %s was recorded", input,
                   recorded->path);
        }
    }
}
