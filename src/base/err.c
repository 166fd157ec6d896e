/* Errors, and the names of Vulkan's results. Vulkan's header is included for the enum only. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "base/text.h"

#define MAX_RAW_BYTES  8192 /* room for MB_PATH_BYTES and a sentence */
#define MAX_LIST_BYTES 202  /* of a list of names in a hint; other names are left out */

#define RESULT_NAME(result)                                                                    \
    {                                                                                          \
        result, #result                                                                        \
    }

static const struct {
    VkResult result;
    const char *name;
} result_names[] = {
    RESULT_NAME(VK_ERROR_OUT_OF_HOST_MEMORY),
    RESULT_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY),
    RESULT_NAME(VK_ERROR_INITIALIZATION_FAILED),
    RESULT_NAME(VK_ERROR_DEVICE_LOST),
    RESULT_NAME(VK_ERROR_MEMORY_MAP_FAILED),
    RESULT_NAME(VK_ERROR_LAYER_NOT_PRESENT),
    RESULT_NAME(VK_ERROR_EXTENSION_NOT_PRESENT),
    RESULT_NAME(VK_ERROR_FEATURE_NOT_PRESENT),
    RESULT_NAME(VK_ERROR_INCOMPATIBLE_DRIVER),
    RESULT_NAME(VK_ERROR_TOO_MANY_OBJECTS),
    RESULT_NAME(VK_ERROR_FORMAT_NOT_SUPPORTED),
    RESULT_NAME(VK_ERROR_FRAGMENTED_POOL),
    RESULT_NAME(VK_ERROR_UNKNOWN),
    RESULT_NAME(VK_ERROR_OUT_OF_POOL_MEMORY),
    RESULT_NAME(VK_ERROR_FRAGMENTATION),
    RESULT_NAME(VK_ERROR_VALIDATION_FAILED_EXT),
    RESULT_NAME(VK_ERROR_INVALID_SHADER_NV),
    RESULT_NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE),
    RESULT_NAME(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS),
};

const char *mb_vk_result_name(int vk_result)
{
    static _Thread_local char unknown[32];
    for (size_t i = 0; i < MB_COUNTOF(result_names); i++) {
        if (result_names[i].result == vk_result) {
            return result_names[i].name;
        }
    }
    snprintf(unknown, sizeof unknown, "VkResult %d", vk_result);
    return unknown;
}

/* A path may be thousands of bytes long: cut its middle, not the reason behind it. A character
 * that is cut in two becomes '?' later. */
static void elide_middle(char *text, size_t max_bytes)
{
    static const char gap[] = "...";
    const size_t n = strlen(text), n_side = (max_bytes - sizeof gap) / 2;
    if (n >= max_bytes) {
        memcpy(text + n_side, gap, sizeof gap - 1);
        memmove(text + n_side + sizeof gap - 1, text + n - n_side, n_side + 1);
    }
}

enum mb_status mb_err_set(struct mb_err *err, enum mb_errc code, const char *file, int line,
                          const char *fmt, ...)
{
    if (err != NULL) {
        char raw[MAX_RAW_BYTES];
        va_list args;
        va_start(args, fmt);
        vsnprintf(raw, sizeof raw, fmt, args);
        va_end(args);
        elide_middle(raw, sizeof err->text);
        *err = (struct mb_err){.code = code, .file = file, .line = line};
        mb_utf8_sanitize(raw, err->text, sizeof err->text);
    }
    return code == MB_ERRC_UNSUPPORTED ? MB_UNSUPPORTED : MB_FAILED;
}

enum mb_status mb_err_hint(struct mb_err *err, const char *fmt, ...)
{
    if (err == NULL) {
        return MB_FAILED;
    }
    va_list args;
    va_start(args, fmt);
    mb_utf8_sanitize_format(err->hint, sizeof err->hint, fmt, args);
    va_end(args);
    return err->code == MB_ERRC_UNSUPPORTED ? MB_UNSUPPORTED : MB_FAILED;
}

enum mb_status mb_err_hint_nearest(struct mb_err *err, const char *word,
                                   const char *const *names, size_t n, const char *otherwise)
{
    const char *near = mb_nearest_name(word, names, n);
    if (near != NULL || otherwise != NULL) {
        return near ? mb_err_hint(err, "did you mean '%s'?", near)
                    : mb_err_hint(err, "%s", otherwise);
    }
    struct mb_text list = mb_text("there is: %s", n > 0 ? names[0] : "none");
    bool fits = true;
    for (size_t i = 1; i < n && fits; i++) {
        fits = strlen(list.s) + strlen(names[i]) < MAX_LIST_BYTES;
        list = mb_text("%s, %s", list.s, fits ? names[i] : "...");
    }
    return mb_err_hint(err, "%s", list.s);
}

enum mb_status mb_err_vk(struct mb_err *err, int vk_result, const char *call, const char *file,
                         int line)
{
    const int name_bytes = (int)strcspn(call, "( \t\n");
    if (vk_result >= 0) {
        return MB_OK;
    }
    const enum mb_status status = mb_err_set(err, MB_ERRC_RUNTIME, file, line, "%.*s: %s",
                                             name_bytes, call, mb_vk_result_name(vk_result));
    if (err != NULL) {
        err->vk_result = vk_result;
    }
    return status;
}

enum mb_status mb_err_need(struct mb_err *err, bool has_memory, const char *what,
                           const char *file, int line)
{
    return has_memory ? MB_OK
                      : mb_err_set(err, MB_ERRC_RUNTIME, file, line, "%s: out of memory", what);
}

enum mb_status mb_zero_failed(enum mb_status status, void *object, size_t n_bytes)
{
    if (status != MB_OK) {
        memset(object, 0, n_bytes);
    }
    return status;
}
