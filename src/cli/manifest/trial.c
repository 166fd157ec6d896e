/* Both ends of a trial. A request is NUL-terminated texts: width, height, format, the variant's
 * label and the input, and a last empty one; the answer a line: "ok" or "failed: WHY". */
#include "cli/manifest/trial.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/image_case.h"

#define IS_CHILD   "MIPBENCH_TRIAL"
#define N_TEXTS    5u
#define LINE_BYTES 600u
#define SLICE_NS   UINT64_C(100000000) /* a signal is noticed after this long */

bool mb_trial_is_child(void)
{
    char value[MB_PATH_BYTES];
    mb_os_variable(IS_CHILD, value);
    return value[0] != '\0';
}

/* ---- The parent */

static enum mb_status start(struct mb_trial *trial, struct mb_err *err)
{
    char program[MB_PATH_BYTES];
    const struct mb_options *options = trial->options;
    MB_FREED const char **argv = mb_alloc((size_t)options->argc + 1, sizeof *argv);
    MB_DO(MB_NEED(argv, "first run"));
    mb_os_program(program);
    argv[0] = program;
    for (int i = 1; i < options->argc; i++) {
        argv[i] = options->argv[i];
    }
    mb_os_set(IS_CHILD, "1");
    const int error = mb_os_child_start(argv, &trial->child);
    mb_os_set(IS_CHILD, "");
    MB_FAIL_IF(error != 0, err, MB_ERRC_RUNTIME, "%s: it cannot be started: %s", program,
               mb_os_error_text(error));
    trial->is_running = true;
    return MB_OK;
}

static int stop(struct mb_trial *trial, bool must_kill)
{
    int code = 0;
    (void)mb_os_child_end(&trial->child, must_kill, &code);
    trial->is_running = false;
    return code;
}

/* Read a line without its end; 0, or an errno: EPIPE if the child is gone, EINTR if the user
 * wants to stop. */
static int read_line(struct mb_trial *trial, char line[LINE_BYTES])
{
    const uint64_t budget_ns = (uint64_t)(trial->options->kernel_timeout_s * 1e9);
    const uint64_t start_ns = mb_now_ns();
    size_t n_bytes = 0;
    for (;;) {
        const uint64_t spent_ns = mb_now_ns() - start_ns;
        size_t n = 0;
        if (spent_ns >= budget_ns) {
            return ETIMEDOUT;
        }
        const uint64_t left_ns = budget_ns - spent_ns;
        const int error =
            mb_os_child_read(&trial->child, line + n_bytes, LINE_BYTES - 1 - n_bytes,
                             left_ns < SLICE_NS ? left_ns : SLICE_NS, &n);
        if (trial->is_interrupted(NULL)) {
            return EINTR;
        }
        if (error == ETIMEDOUT) {
            continue;
        }
        if (error != 0 || n == 0) {
            return error != 0 ? error : EPIPE;
        }
        n_bytes += n;
        line[n_bytes] = '\0';
        if (line[n_bytes - 1] == '\n' || n_bytes == LINE_BYTES - 1) {
            line[strcspn(line, "\n")] = '\0';
            return 0;
        }
    }
}

static enum mb_status judge(struct mb_trial *trial, int error, const char *line,
                            struct mb_err *err)
{
    if (error == 0 && strcmp(line, "ok") == 0) {
        return MB_OK;
    }
    if (error == 0) { /* the device may be lost to that process: the next one has its own */
        (void)stop(trial, false);
        return MB_FAIL(err, MB_ERRC_RUNTIME, "its trial run %s", line);
    }
    const int code = stop(trial, error == ETIMEDOUT || error == EINTR);
    MB_FAIL_IF(error == EINTR, err, MB_ERRC_RUNTIME, "its trial run was interrupted");
    if (error == ETIMEDOUT) {
        MB_FAIL(err, MB_ERRC_RUNTIME, "its trial run took more than %g s and was ended",
                trial->options->kernel_timeout_s);
        return mb_err_hint(err, "if it is only slow, give it more: --kernel-timeout");
    }
    return code < 0
               ? MB_FAIL(err, MB_ERRC_RUNTIME, "its trial run crashed (signal %d)", -code)
               : MB_FAIL(err, MB_ERRC_RUNTIME, "its trial run crashed (exit code %d)", code);
}

static enum mb_status ask(struct mb_trial *trial, const char *request, size_t n_bytes,
                          struct mb_err *err)
{
    char line[LINE_BYTES];
    if (!trial->is_running) {
        MB_DO(start(trial, err));
    }
    const int error = mb_os_child_write(&trial->child, request, n_bytes);
    return judge(trial, error != 0 ? error : read_line(trial, line), line, err);
}

/* With '\n' for the NULs, of which there are none within. */
static enum mb_status make_request(const char *input, const struct mb_case *c,
                                   const struct mb_variant *row, struct mb_strbuf *request,
                                   struct mb_err *err)
{
    char label[MB_LABEL_BYTES];
    mb_variant_label(row, label, sizeof label);
    mb_strbuf_printf(request, "%" PRIu32 "\n%" PRIu32 "\n%s\n%s\n%s\n", c->layout.base.width,
                     c->layout.base.height, c->layout.format->name, label, input);
    return mb_strbuf_check(request, err);
}

static enum mb_status remember(struct mb_trial *trial, const char *request,
                               struct mb_trial_outcome **outcome, struct mb_err *err)
{
    struct mb_trial_outcome *grown = mb_grow(trial->outcomes, trial->n_outcomes, sizeof *grown);
    MB_DO(MB_NEED(grown, "first run"));
    trial->outcomes = grown;
    *outcome = &grown[trial->n_outcomes];
    **outcome = (struct mb_trial_outcome){.request = mb_strdup(request)};
    MB_DO(MB_NEED((*outcome)->request, "first run"));
    trial->n_outcomes++;
    return MB_OK;
}

/* The request as it is sent: the input is last, so that line ends in it are its own. */
static void encode(char *request)
{
    unsigned n = 0;
    char *end = request + strlen(request) - 1;
    for (char *c = request; c < end && n + 1 < N_TEXTS; c++) {
        if (*c == '\n') {
            *c = '\0';
            n++;
        }
    }
    *end = '\0';
}

enum mb_status mb_trial_run(struct mb_trial *trial, const char *input, const struct mb_case *c,
                            const struct mb_variant *row, struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) request = {0};
    struct mb_trial_outcome *outcome = NULL;
    MB_DO(make_request(input, c, row, &request, err));
    for (size_t i = 0; i < trial->n_outcomes; i++) {
        if (strcmp(trial->outcomes[i].request, request.text) == 0) {
            outcome = &trial->outcomes[i];
        }
    }
    if (!outcome) {
        MB_DO(remember(trial, request.text, &outcome, err));
        encode(request.text);
        outcome->has_passed = ask(trial, request.text, request.n_bytes, &outcome->why) == MB_OK;
        if (trial->is_interrupted(NULL)) { /* that says nothing of it */
            mb_free(outcome->request);
            trial->n_outcomes--;
            return MB_FAIL(err, MB_ERRC_RUNTIME, "its trial run was interrupted");
        }
    }
    if (!outcome->has_passed) {
        *err = outcome->why;
        return MB_FAILED;
    }
    return MB_OK;
}

void mb_trial_finish(struct mb_trial *trial)
{
    if (trial->is_running) {
        (void)stop(trial, false); /* at the end of its input it ends */
    }
    for (size_t i = 0; i < trial->n_outcomes; i++) {
        mb_free(trial->outcomes[i].request);
    }
    mb_free(trial->outcomes);
    *trial = (struct mb_trial){0};
}

/* ---- The child */

struct server {
    const struct mb_options *options;
    struct mb_gpu gpu;
    struct mb_settings settings;
};

static bool is_interrupted(void *user)
{
    return false; /* a signal ends a child at once */
}

static void on_step(void *user, const char *label, const char *step)
{
}

static void on_block(void *user, size_t n_candidates, uint32_t n_done, uint32_t n_total)
{
}

static const struct mb_hooks quiet = {
    .is_interrupted = is_interrupted,
    .on_step = on_step,
    .on_block = on_block,
};

/* Read the texts of a request from stdin; false at its end. */
static bool read_request(char *buffer, size_t n_bytes, const char *texts[N_TEXTS])
{
    size_t n = 0, n_texts = 0;
    texts[0] = buffer;
    while (n < n_bytes) {
        size_t n_read = 0;
        if (mb_os_read(0, buffer + n, 1, &n_read) != 0 || n_read == 0) {
            return false;
        }
        if (buffer[n++] == '\0') {
            if (++n_texts == N_TEXTS) {
                return true;
            }
            texts[n_texts] = buffer + n;
        }
    }
    return false;
}

/* Run one variant on one image; `c` is finished by the caller. */
static enum mb_status run_case(struct server *server, const char *input,
                               const struct mb_variant *row, struct mb_case *c,
                               struct mb_err *err)
{
    MB_SCOPED(mb_image) image = {0};
    MB_FREED void *source = NULL;
    struct mb_calibration calibration = {.gpu = &server->gpu};
    bool is_complete;
    const struct mb_case_options options = {
        .settings = &server->settings,
        .hooks = &quiet,
        .rows = row,
        .n_rows = 1,
        .calibration = &calibration,
    };
    MB_DO(mb_image_open(&image, input, server->settings.seed, err));
    MB_DO(mb_image_make_case(&image, &server->settings, 0, c, &source, err));
    MB_DO(mb_case_run(&options, source, c, &is_complete, err));
    const struct mb_result *result = &c->results[0];
    MB_FAIL_IF(result->status == MB_RESULT_FAILED && result->verify != MB_VERIFY_FAIL, err,
               MB_ERRC_RUNTIME, "%s", result->reason);
    return MB_OK;
}

static enum mb_status serve(struct server *server, const char *const texts[N_TEXTS],
                            struct mb_err *err)
{
    enum mb_status status = MB_OK;
    MB_FREED struct mb_variant *rows = NULL;
    size_t n_rows = 0;
    int64_t width = 0, height = 0;
    struct mb_case c = {0};
    MB_FAIL_IF(!mb_parse_int(texts[0], 1, UINT32_MAX, &width) ||
                   !mb_parse_int(texts[1], 1, UINT32_MAX, &height),
               err, MB_ERRC_USAGE, "this is no request");
    server->settings = server->options->settings;
    if (server->settings.n_sizes > 0) {
        server->settings.n_sizes = 1;
        server->settings.size[0] = (struct mb_extent){(uint32_t)width, (uint32_t)height};
    }
    server->settings.format = texts[2];
    server->settings.is_srgb = false;
    server->settings.verify = true;
    MB_DO(mb_plan_variants(server->settings.table, &texts[3], 1, &rows, &n_rows, err));
    status = run_case(server, texts[4], rows, &c, err);
    mb_case_finish(&c);
    return status;
}

enum mb_status mb_trial_serve(const struct mb_options *options, struct mb_err *err)
{
    struct server server = {.options = options};
    const char *texts[N_TEXTS];
    char buffer[MB_PATH_BYTES + 1024];
    const struct mb_gpu_options gpu_options = {.selector = options->settings.device};
    mb_log_set_level(MB_LOG_ERROR);
    MB_DO(mb_gpu_init(&server.gpu, &gpu_options, err));
    while (read_request(buffer, sizeof buffer, texts)) {
        struct mb_err why = {0};
        char answer[LINE_BYTES];
        const bool has_passed = serve(&server, texts, &why) == MB_OK;
        const int n = snprintf(answer, sizeof answer, "%s%s\n",
                               has_passed ? "ok" : "failed: ", has_passed ? "" : why.text);
        if (mb_os_write(MB_STDOUT, answer, (size_t)n) != 0 || server.gpu.state->is_lost) {
            _Exit(MB_ERRC_RUNTIME); /* work may be in flight: nothing is destroyed */
        }
    }
    (void)mb_gpu_finish(&server.gpu);
    return MB_OK;
}
