/* Two command lines made one. It is written out in full, so that the new results.json can be
 * replayed without the old one. */
#include "cli/option_replay.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/option_scan.h"

/* Options and inputs, in order; the inputs go last, after "--". */
struct joined {
    char **options; /* each text owned until it is handed over */
    size_t n_options;
    char **inputs;
    size_t n_inputs;
    bool failed; /* no memory */
};

/* What one command line says. */
struct line {
    int argc;
    char *const *argv;
    uint64_t given; /* bit i: row i of the table */
    size_t n_inputs;
};

static void add(struct joined *joined, bool is_input, char *text)
{
    if (text == NULL) {
        joined->failed = true;
    } else if (is_input) {
        joined->inputs[joined->n_inputs++] = text;
    } else {
        joined->options[joined->n_options++] = text;
    }
}

static void add_option(struct joined *joined, const struct mb_option_item *item)
{
    struct mb_strbuf text = {0};
    mb_strbuf_printf(&text, "--%s", item->row->name);
    if (item->value != NULL) {
        mb_strbuf_printf(&text, "=%s", item->value);
    }
    if (text.failed) {
        mb_strbuf_finish(&text);
    }
    add(joined, false, text.text);
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

/* Rows that a recorded line does not bring with it: those of output, those that the new line
 * has itself, and sizes where the new line has sizes of any kind. */
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
            (row->verbs & MB_FOR_RUN) == 0) {
            dropped |= bit_of(row);
        }
    }
    return dropped;
}

/* A recorded input as it is found now. NULL without memory. */
static char *find_input(const struct mb_result_file *recorded, const char *input)
{
    if (recorded->folder[0] == '\0' || input[0] == '/' ||
        strncmp(input, "pattern:", strlen("pattern:")) == 0 || access(input, F_OK) == 0) {
        return mb_strdup(input);
    }
    char *there = mb_path_join(recorded->folder, input);
    if (there != NULL && access(there, F_OK) != 0) {
        mb_free(there);
        return mb_strdup(input);
    }
    return there;
}

/* A command that is not repeated. */
static bool is_other_verb(const char *word)
{
    for (size_t i = 0; i < mb_verb_count; i++) {
        if (strcmp(word, mb_verb_rows[i].name) == 0) {
            return mb_verb_rows[i].verb != MB_VERB_RUN;
        }
    }
    return false;
}

/* Walk a line. Note in it what it has; with `joined` also add what is not among `dropped`, and
 * inputs where they are wanted. `recorded` is what the line is of, or NULL: this one. */
static enum mb_status walk(struct line *line, uint64_t dropped, bool wants_inputs,
                           const struct mb_result_file *recorded, struct joined *joined,
                           struct mb_err *err)
{
    struct mb_option_scan scan;
    struct mb_option_item item;
    bool has_verb = false;
    enum mb_status status;
    line->n_inputs = 0;
    mb_option_scan_init(&scan, line->argc, line->argv);
    for (;;) {
        MB_TRY(mb_option_scan_next(&scan, &item, err));
        if (item.kind == MB_ITEM_END) {
            return MB_OK;
        }
        if (item.kind == MB_ITEM_OPTION) {
            line->given |= bit_of(item.row);
            if (joined != NULL && (bit_of(item.row) & dropped) == 0) {
                add_option(joined, &item);
            }
        } else if (item.kind == MB_ITEM_WORD && line->n_inputs == 0 && !has_verb &&
                   strcmp(item.value, "run") == 0) {
            has_verb = true;
        } else if (item.kind == MB_ITEM_WORD && line->n_inputs == 0 && !has_verb &&
                   is_other_verb(item.value)) {
            return MB_FAIL(err, MB_ERRC_USAGE, "'%s' is no run", item.value);
        } else {
            line->n_inputs++;
            if (joined != NULL && wants_inputs) {
                add(joined, true,
                    recorded ? find_input(recorded, item.value) : mb_strdup(item.value));
            }
        }
    }
fail:
    return status;
}

/* argv[0], "run", the options, "--" and the inputs. */
static void assemble(struct mb_replay *replay, struct joined *joined, const char *program)
{
    char **argv = replay->argv;
    argv[0] = mb_strdup(program);
    argv[1] = mb_strdup("run");
    argv[2 + joined->n_options] = mb_strdup("--");
    joined->failed = joined->failed || argv[0] == NULL || argv[1] == NULL ||
                     argv[2 + joined->n_options] == NULL;
    memcpy(argv + 2, joined->options, joined->n_options * sizeof *argv);
    memcpy(argv + 3 + joined->n_options, joined->inputs, joined->n_inputs * sizeof *argv);
    replay->argc = (int)(3 + joined->n_options + joined->n_inputs);
}

static void add_seed(struct joined *joined, uint64_t seed)
{
    struct mb_strbuf text = {0};
    mb_strbuf_printf(&text, "--seed=%" PRIu64, seed);
    if (text.failed) {
        mb_strbuf_finish(&text);
    }
    add(joined, false, text.text);
}

/* Fill `joined` from both lines; what is wrong with the recorded one is said of the file. */
static enum mb_status join(struct mb_replay *replay, struct line *line, struct joined *joined,
                           struct mb_err *err)
{
    const struct mb_result_file *recorded = &replay->recorded;
    struct line old = {.argc = (int)recorded->n_args, .argv = recorded->argv};
    struct mb_err why = {0};
    enum mb_status status;
    MB_TRY(walk(line, 0, false, NULL, NULL, err));
    replay->has_recorded_inputs = line->n_inputs == 0;
    if (walk(&old, find_dropped(line), line->n_inputs == 0, recorded, joined, &why) != MB_OK) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: its command line: %s", recorded->path,
                       why.text);
    }
    if (((old.given | line->given) & bit_of_name("seed")) == 0) {
        add_seed(joined, recorded->seed);
    }
    MB_TRY(walk(line, bit_of_name("replay"), true, NULL, joined, err));
    return MB_OK;
fail:
    return status;
}

/* The most items that a line has: each letter of a word may be an option of its own. */
static size_t count_most(int argc, char *const *argv)
{
    size_t n_most = 0;
    for (int i = 0; i < argc; i++) {
        n_most += strlen(argv[i]) + 1;
    }
    return n_most;
}

enum mb_status mb_replay_open(struct mb_replay *replay, const char *path, int argc,
                              char *const *argv, struct mb_err *err)
{
    struct line line = {.argc = argc, .argv = argv};
    struct joined joined = {0};
    enum mb_status status;
    *replay = (struct mb_replay){0};
    MB_TRY(mb_result_file_read(path, &replay->recorded, err));
    if (replay->recorded.n_args == 0) {
        status = MB_FAIL(err, MB_ERRC_INPUT, "%s: it does not say how it was run", path);
        goto fail;
    }
    /* And the program, "run", the seed, "--" and a NULL. */
    const size_t n_most = count_most((int)replay->recorded.n_args, replay->recorded.argv) +
                          count_most(argc, argv) + 5;
    joined.options = mb_alloc(n_most, sizeof *joined.options);
    joined.inputs = mb_alloc(n_most, sizeof *joined.inputs);
    replay->argv = mb_alloc(n_most, sizeof *replay->argv);
    if (joined.options == NULL || joined.inputs == NULL || replay->argv == NULL) {
        status = MB_FAIL(err, MB_ERRC_RUNTIME, "--replay: out of memory");
        goto fail;
    }
    status = join(replay, &line, &joined, err);
    assemble(replay, &joined, argv[0]);
    if (status == MB_OK && joined.failed) {
        status = MB_FAIL(err, MB_ERRC_RUNTIME, "--replay: out of memory");
    }
fail:
    mb_free(joined.options);
    mb_free(joined.inputs);
    if (status != MB_OK) {
        mb_replay_finish(replay);
    }
    return status;
}

void mb_replay_finish(struct mb_replay *replay)
{
    for (int i = 0; i < replay->argc; i++) {
        mb_free(replay->argv[i]);
    }
    mb_free(replay->argv);
    mb_result_file_finish(&replay->recorded);
    *replay = (struct mb_replay){0};
}

void mb_replay_hint(const struct mb_replay *replay, struct mb_err *err)
{
    const struct mb_result_file *recorded = &replay->recorded;
    if (replay->has_recorded_inputs && recorded->path != NULL && err->hint[0] == '\0') {
        mb_err_hint(err, "%s was recorded with it%s%s; write another input behind --replay",
                    recorded->path, recorded->folder[0] != '\0' ? " in " : "",
                    recorded->folder);
    }
}

/* True if `input` is what was recorded as `was`, here or where the run was started. */
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
