/* Errors: their text is one clean line, and a Vulkan call's result is named. */
#include <vulkan/vulkan_core.h>

#include "base/err.h"
#include "check.h"

static void test_set(void)
{
    struct mb_err err = {.hint = "stale"};
    CHECK_EQ_INT(mb_err_set(&err, MB_ERRC_INPUT, "a.c", 7, "a\n\033[31m\xff: %d", 5),
                 MB_FAILED);
    CHECK_EQ_STR(err.text, "a??[31m?: 5");
    CHECK_EQ_STR(err.hint, "");
    CHECK_EQ_STR(err.file, "a.c");
    CHECK_EQ_INT(err.line, 7);
    CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
    mb_err_hint(&err, "try '%s'", "spd\t");
    CHECK_EQ_STR(err.hint, "try 'spd?'");
    CHECK_EQ_INT(MB_FAIL(&err, MB_ERRC_UNSUPPORTED, "spd: no"), MB_UNSUPPORTED);
    CHECK_EQ_INT(MB_FAIL(NULL, MB_ERRC_USAGE, "nobody listens"), MB_FAILED);
    mb_err_hint(NULL, "nor here");
}

static void test_long_text(void)
{
    for (size_t n_bytes = 400; n_bytes < 5000; n_bytes++) {
        char path[5000];
        memset(path, 'x', n_bytes);
        path[n_bytes] = '\0';
        struct mb_err err;
        CHECK_EQ_INT(MB_FAIL(&err, MB_ERRC_INPUT, "%s: no such file", path), MB_FAILED);
        const size_t n = n_bytes + strlen(": no such file");
        CHECK_EQ_INT(strlen(err.text), n < sizeof err.text ? n : sizeof err.text - 1);
        CHECK_EQ_INT(strstr(err.text, "...") != NULL, n >= sizeof err.text);
        CHECK_EQ_STR(err.text + strlen(err.text) - strlen(": no such file"), ": no such file");
    }
}

static enum mb_status call_vk(VkResult result, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    MB_TRY(MB_VK((result)));
fail:
    return status;
}

static enum mb_status call_try(enum mb_status inner)
{
    enum mb_status status;
    MB_TRY(inner);
    return MB_OK;
fail:
    return status;
}

static void test_macros(void)
{
    struct mb_err err = {.vk_result = 0};
    CHECK_EQ_INT(call_vk(VK_SUCCESS, &err), MB_OK);
    CHECK_EQ_INT(call_vk(VK_INCOMPLETE, &err), MB_OK);
    CHECK_EQ_INT(call_vk(VK_ERROR_DEVICE_LOST, &err), MB_FAILED);
    CHECK_EQ_INT(err.vk_result, VK_ERROR_DEVICE_LOST);
    CHECK_EQ_INT(call_try(MB_OK), MB_OK);
    CHECK_EQ_INT(call_try(MB_UNSUPPORTED), MB_UNSUPPORTED);
}

static void test_vk(void)
{
    struct mb_err err;
    CHECK_EQ_INT(mb_err_vk(&err, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                           "vkAllocateMemory(gpu->device, &info, NULL, &memory)", "b.c", 9),
                 MB_FAILED);
    CHECK_EQ_STR(err.text, "vkAllocateMemory: VK_ERROR_OUT_OF_DEVICE_MEMORY");
    CHECK_EQ_INT(err.code, MB_ERRC_RUNTIME);
    CHECK_EQ_INT(err.vk_result, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    CHECK_EQ_INT(mb_err_vk(NULL, VK_ERROR_UNKNOWN, "vkX()", "b.c", 9), MB_FAILED);
    CHECK_EQ_STR(mb_vk_result_name(VK_ERROR_DEVICE_LOST), "VK_ERROR_DEVICE_LOST");
    CHECK_EQ_STR(mb_vk_result_name(-123456), "VkResult -123456");
}

int main(void)
{
    return CHECK_TESTS(test_set, test_long_text, test_macros, test_vk);
}
