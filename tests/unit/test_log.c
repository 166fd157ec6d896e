/* What reaches stderr, byte for byte; the line of a crash, too, on a stubbed device. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../stand_in.h"
#include "base/log.h"
#include "check.h"
#include "vk/submit.h"

static int saved_stderr = -1;
static FILE *capture;

static void begin_capture(void)
{
    fflush(stderr);
    capture = tmpfile();
    saved_stderr = dup(STDERR_FILENO);
    if (capture == NULL || saved_stderr < 0 || dup2(fileno(capture), STDERR_FILENO) < 0) {
        abort();
    }
}

static const char *end_capture(void)
{
    static char text[8192];
    fflush(stderr);
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    rewind(capture);
    text[fread(text, 1, sizeof text - 1, capture)] = '\0';
    fclose(capture);
    return text;
}

static void test_levels(void)
{
    begin_capture();
    mb_log(MB_LOG_ERROR, "no %d", 1);
    mb_log(MB_LOG_WARN, "hm\n\033[2J");
    mb_log(MB_LOG_INFO, "caf\xc3\xa9");
    mb_log(MB_LOG_DEBUG, "hidden");
    mb_log_set_level(MB_LOG_CAUTION);
    mb_log(MB_LOG_WARN, "hidden");
    mb_log(MB_LOG_CAUTION, "mind");
    mb_log_set_level(MB_LOG_DEBUG);
    mb_log(MB_LOG_DEBUG, "seen");
    mb_log_set_level(MB_LOG_INFO);
    CHECK_EQ_STR(end_capture(), "mipbench: error: no 1\nmipbench: warning: hm??[2J\n"
                                "caf\xc3\xa9\nmipbench: warning: mind\nseen\n");
}

static void test_transient(void)
{
    begin_capture();
    mb_log_set_transient(NULL, 80); /* nothing is up: nothing is written */
    mb_log_set_transient("\xc2\xb7 one", 3);
    mb_log_set_transient("two", 80);
    mb_log(MB_LOG_DEBUG, "dropped, so the line stays up");
    mb_log(MB_LOG_INFO, "message");
    mb_log(MB_LOG_INFO, "again");
    mb_log_set_transient("three", 80);
    mb_log_set_transient("", 80);
    CHECK_EQ_STR(end_capture(), "\r\033[K\xc2\xb7 o\r\033[Ktwo\r\033[Kmessage\n\r\033[Kagain\n"
                                "\r\033[Kthree\r\033[K");
}

static void test_err(void)
{
    struct mb_err err;
    enum mb_status status = mb_err_set(&err, MB_ERRC_USAGE, "x.c", 3, "unknown strategy 'sdp'");
    CHECK_EQ_INT(status, MB_FAILED);
    begin_capture();
    mb_log_err(&err);
    mb_err_hint(&err, "did you mean 'spd'?");
    mb_log_err(&err);
    mb_log_set_level(MB_LOG_DEBUG);
    mb_log_err(&err);
    mb_log_set_level(MB_LOG_INFO);
    CHECK_EQ_STR(end_capture(),
                 "mipbench: error: unknown strategy 'sdp'\n"
                 "mipbench: error: unknown strategy 'sdp'; did you mean 'spd'?\n"
                 "mipbench: error: unknown strategy 'sdp'; did you mean 'spd'?\nat x.c:3\n");
}

static VKAPI_ATTR VkResult VKAPI_CALL reset_nothing(VkDevice device, uint32_t n,
                                                    const VkFence *fences)
{
    return VK_SUCCESS;
}

static VkResult submit_result = VK_SUCCESS;

static VKAPI_ATTR VkResult VKAPI_CALL submit_nothing(VkQueue queue, uint32_t n,
                                                     const VkSubmitInfo *infos, VkFence fence)
{
    return submit_result;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_for_nothing(VkDevice device, uint32_t n,
                                                       const VkFence *fences, VkBool32 all,
                                                       uint64_t timeout_ns)
{
    return VK_SUCCESS;
}

/* Submit ("1", "2": kernels, "b": built-in), wait for the same ("-1"), crash at the end. */
static const char *crash_after(const char *steps)
{
    static const char names[] = "12b";
    struct mb_gpu_state state = {0};
    struct mb_gpu gpu = {.state = &state};
    struct mb_submission submissions[] = {
        {.gpu = &gpu, .kernel = "k1"}, {.gpu = &gpu, .kernel = "k2"}, {.gpu = &gpu}};
    struct mb_err err;
    mb_log_suspect(NULL, NULL);
    for (const char *c = steps; *c != '\0'; c++) {
        const bool waits = *c == '-';
        c += waits;
        struct mb_submission *submission = &submissions[strchr(names, *c) - names];
        const enum mb_status status = waits ? mb_submission_wait(submission, &err)
                                            : mb_submission_submit(submission, &err);
        CHECK_EQ_INT(status, submit_result == VK_SUCCESS ? MB_OK : MB_FAILED);
    }
    begin_capture();
    mb_log_crash();
    return end_capture();
}

static void test_suspect(void)
{
    static const char any[] = "mipbench: error: k2: crashed while the driver ran it or other "
                              "work\n";
    static const char one[] = "mipbench: error: k1: crashed while the driver ran it or other "
                              "work\n";
    static const char only[] = "mipbench: error: k2: crashed while the driver ran it\n";
    STAND_IN(vkResetFences, reset_nothing);
    STAND_IN(vkQueueSubmit, submit_nothing);
    STAND_IN(vkWaitForFences, wait_for_nothing);
    CHECK_EQ_STR(crash_after("2"), only);
    CHECK_EQ_STR(crash_after("1-12"), only);
    CHECK_EQ_STR(crash_after("12"), any);
    CHECK_EQ_STR(crash_after("12-1"), any);
    CHECK_EQ_STR(crash_after("1b"), one);
    CHECK_EQ_STR(crash_after("b1"), one);
    CHECK_EQ_STR(crash_after("b1-1"), "");
    CHECK_EQ_STR(crash_after("b1-1-b2"), only);
    CHECK_EQ_STR(crash_after("12-1-2"), "");
    CHECK_EQ_STR(crash_after("b"), "");
    submit_result = VK_ERROR_OUT_OF_HOST_MEMORY;
    CHECK_EQ_STR(crash_after("1"), "");
}

int main(void)
{
    return CHECK_TESTS(test_levels, test_transient, test_err, test_suspect);
}
