/* Joins two command lines. The result is recorded in full, so that the new results.json can be
 * replayed without the old one. */
#include "cli/options/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/options/scan.h"
#include "image/pattern.h"

/* The options and inputs of both command lines. */
struct joined {
    struct mb_strlist options, inputs;
};

/* One command line, and what was found in it. */
struct line {
    int argc;
    char *const *argv;
    uint64_t given; /* bit i: row i of the table */
    size_t n_inputs;
};

static enum mb_status add_option(struct mb_strlist *options, const struct mb_scan_item *item,
                                 struct mb_err *err)
{
    struct mb_strbuf text = {0};
    enum mb_status status;
    mb_strbuf_printf(&text, "--%s%s%s", item->row->name, item->value != NULL ? "=" : "",
                     item->value != NULL ? item->value : "");
    MB_TRY(mb_strbuf_check(&text, err));
    MB_TRY(mb_strlist_add(options, mb_strbuf_text(&text), text.n_bytes, err));
fail:
    mb_strbuf_finish(&text);
    return status;
}

static uint64_t bit_of(const struct mb_option_row *row)
{
    return UINT64_C(1) << (row - mb_option_rows);
}

static uint64_t bit_of_name(const char *name)
{
    for (size_t i = 0; i < mb_option_count; i++) {
        if (strcmp(mb_option_rows[i].name, name) == 0) {
            return UINT64_C(1) << i;
        }
    }
    return 0;
}

/* Options not to be taken over from the recorded line: those of output, those that the new line
 * gives itself, and sizes if the new line gives sizes of any kind. */
static uint64_t find_dropped(const struct line *line)
{
    const uint64_t sizes = bit_of_name("size") | bit_of_name("sweep");
    uint64_t dropped = line->given | bit_of_name("replay");
    if ((line->given & sizes) != 0) {
        dropped |= sizes;
    }
    for (size_t i = 0; i < mb_option_count; i++) {
        const struct mb_option_row *row = &mb_option_rows[i];
        if (row->group == MB_GROUP_OUTPUT || row->group == MB_GROUP_GENERAL ||
            !mb_option_goes_with(row, MB_VERB_RUN)) {
            dropped |= bit_of(row);
        }
    }
    return dropped;
}

/* Add an input. A recorded one that does not exist here, but where the run was started, is
 * taken from there. */
static enum mb_status add_input(struct mb_strlist *inputs,
                                const struct mb_result_file *recorded, const char *input,
                                struct mb_err *err)
{
    const bool is_found = recorded == NULL || recorded->folder[0] == '\0' || input[0] == '/' ||
                          mb_pattern_is_spec(input) || access(input, F_OK) == 0;
    char *there = is_found ? NULL : mb_path_join(recorded->folder, input);
    if (!is_found && there == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "--replay: out of memory");
    }
    const char *path = is_found || access(there, F_OK) != 0 ? input : there;
    const enum mb_status status = mb_strlist_add(inputs, path, strlen(path), err);
    mb_free(there);
    return status;
}

/* True if the item is the line's verb. */
static bool is_verb(const struct line *line, const struct mb_scan_item *item, bool has_verb)
{
    return item->kind == MB_SCAN_WORD && line->n_inputs == 0 && !has_verb &&
           mb_verb_find(item->value) != MB_N_VERBS;
}

/* Walk a line and note what is in it. With `joined`, also add its options, but for the
 * `dropped` ones, and its inputs if they are wanted. `recorded` is the file that the line is
 * from, or NULL for the new line. */
static enum mb_status walk(struct line *line, uint64_t dropped, bool wants_inputs,
                           const struct mb_result_file *recorded, struct joined *joined,
                           struct mb_err *err)
{
    struct mb_scan scan;
    struct mb_scan_item item;
    bool has_verb = false;
    enum mb_status status;
    line->n_inputs = 0;
    mb_scan_init(&scan, line->argc, line->argv);
    for (;;) {
        MB_TRY(mb_scan_next(&scan, MB_VERB_RUN, &item, err));
        if (item.kind == MB_SCAN_END) {
            return MB_OK;
        }
        if (item.kind == MB_SCAN_OPTION) {
            line->given |= bit_of(item.row);
            if (joined != NULL && (bit_of(item.row) & dropped) == 0) {
                MB_TRY(add_option(&joined->options, &item, err));
            }
        } else if (is_verb(line, &item, has_verb)) {
            has_verb = true;
            if (mb_verb_find(item.value) != MB_VERB_RUN) {
                return MB_FAIL(err, MB_ERRC_USAGE, "'%s' is no run", item.value);
            }
        } else {
            line->n_inputs++;
            if (joined != NULL && wants_inputs) {
                MB_TRY(add_input(&joined->inputs, recorded, item.value, err));
            }
        }
    }
fail:
    return status;
}

static enum mb_status add_all(struct mb_strlist *args, const char *const *words, size_t n_words,
                              struct mb_err *err)
{
    enum mb_status status = MB_OK;
    for (size_t i = 0; i < n_words && status == MB_OK; i++) {
        status = mb_strlist_add(args, words[i], strlen(words[i]), err);
    }
    return status;
}

/* The program, "run", the options, "--" and the inputs. */
static enum mb_status assemble(struct mb_strlist *args, const struct joined *joined,
                               const char *program, struct mb_err *err)
{
    const char *const begin[] = {program, "run"};
    const char *const end[] = {"--"};
    enum mb_status status;
    MB_TRY(add_all(args, begin, MB_COUNTOF(begin), err));
    MB_TRY(add_all(args, (const char *const *)joined->options.items, joined->options.n, err));
    MB_TRY(add_all(args, end, MB_COUNTOF(end), err));
    MB_TRY(add_all(args, (const char *const *)joined->inputs.items, joined->inputs.n, err));
fail:
    return status;
}

/* Join both lines. An error in the recorded one names its file. */
static enum mb_status join(struct mb_replay *replay, struct line *line, struct joined *joined,
                           struct mb_err *err)
{
    const struct mb_result_file *recorded = &replay->recorded;
    struct line old = {.argc = (int)recorded->argv.n, .argv = recorded->argv.items};
    struct mb_err why = {0};
    enum mb_status status;
    MB_TRY(walk(line, 0, false, NULL, NULL, err));
    replay->has_recorded_inputs = line->n_inputs == 0;
    if (walk(&old, find_dropped(line), line->n_inputs == 0, recorded, joined, &why) != MB_OK) {
        return MB_FAIL(err, why.code == MB_ERRC_USAGE ? MB_ERRC_INPUT : why.code,
                       "%s: its command line: %s", recorded->path, why.text);
    }
    if (((old.given | line->given) & bit_of_name("seed")) == 0) {
        char seed[32];
        snprintf(seed, sizeof seed, "--seed=%" PRIu64, recorded->seed);
        MB_TRY(mb_strlist_add(&joined->options, seed, strlen(seed), err));
    }
    MB_TRY(walk(line, bit_of_name("replay"), true, NULL, joined, err));
    MB_TRY(assemble(&replay->args, joined, line->argv[0], err));
fail:
    return status;
}

enum mb_status mb_replay_open(struct mb_replay *replay, const char *path, int argc,
                              char *const *argv, struct mb_err *err)
{
    struct line line = {.argc = argc, .argv = argv};
    struct joined joined = {0};
    enum mb_status status;
    *replay = (struct mb_replay){0};
    MB_TRY(mb_result_file_read(path, &replay->recorded, err));
    if (replay->recorded.argv.n == 0) {
        status = MB_FAIL(err, MB_ERRC_INPUT, "%s: it does not say how it was run", path);
        goto fail;
    }
    status = join(replay, &line, &joined, err);
fail:
    mb_strlist_finish(&joined.options);
    mb_strlist_finish(&joined.inputs);
    if (status != MB_OK) {
        mb_replay_finish(replay);
    }
    return status;
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
