/* Errors: a status that callers must check, and a struct that says what failed, why, and what
 * to do next.
 *
 * Every fallible function returns `enum mb_status` and takes a `struct mb_err *` as its last
 * parameter, which MB_NEED and MB_VK expect under the name `err`. MB_DO returns a failure,
 * MB_TRY jumps with it to a label `fail:`. Only main() turns a status into an exit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define MB_MUST_CHECK                    __attribute__((warn_unused_result))
#define MB_PRINTF(fmt_index, args_index) __attribute__((format(printf, fmt_index, args_index)))

#define MB_COUNTOF(array) (sizeof(array) / sizeof((array)[0]))

enum mb_status {
    MB_OK,
    MB_UNSUPPORTED, /* this device cannot do it; the results report this */
    MB_FAILED,
};

/* The kind of failure; its value is the exit code of the process. */
enum mb_errc {
    MB_ERRC_NONE = 0,
    MB_ERRC_VERIFY = 1,      /* a verification failed */
    MB_ERRC_USAGE = 2,       /* a wrong command line */
    MB_ERRC_INPUT = 3,       /* an input file cannot be used */
    MB_ERRC_DEVICE = 4,      /* no usable device */
    MB_ERRC_UNSUPPORTED = 5, /* the device cannot do what was asked for by name */
    MB_ERRC_RUNTIME = 6,     /* a Vulkan call failed, or memory or time ran out */
    MB_ERRC_OUTPUT = 7,      /* an output could not be written */
};

struct mb_err {
    enum mb_errc code;
    int vk_result;     /* VkResult where a Vulkan call failed, else 0 */
    bool is_disk_full; /* a file could not be written for lack of space */
    const char *file;  /* __FILE__ of the failing place, in static storage */
    int line;
    char text[512]; /* "<object>: <reason>", one line, without "mipbench: error:" */
    char hint[256]; /* what to do next, or "" */
};

/* Fill `err` (may be NULL) and return MB_FAILED, or MB_UNSUPPORTED for MB_ERRC_UNSUPPORTED.
 * Control characters and invalid UTF-8 become '?'. Use MB_FAIL, which supplies the place. */
MB_PRINTF(5, 6)
enum mb_status mb_err_set(struct mb_err *err, enum mb_errc code, const char *file, int line,
                          const char *fmt, ...);

/* Add a hint to an error that is set, and return the error's status again. */
MB_PRINTF(2, 3)
enum mb_status mb_err_hint(struct mb_err *err, const char *fmt, ...);

/* Suggest the one of `n` names that is nearest to a misspelt word: "did you mean 'spd'?". If
 * none is near, the hint is `otherwise`, or if that is NULL, a list of as many names as fit:
 * "there is: blit, spd". */
enum mb_status mb_err_hint_nearest(struct mb_err *err, const char *word,
                                   const char *const *names, size_t n, const char *otherwise);

/* As mb_err_set with MB_ERRC_RUNTIME if a Vulkan call failed, else MB_OK. The message names the
 * function, taken from `call`, the source text of the call. */
MB_MUST_CHECK enum mb_status mb_err_vk(struct mb_err *err, int vk_result, const char *call,
                                       const char *file, int line);

/* As mb_err_set with "<what>: out of memory" unless `has_memory`; else MB_OK. */
MB_MUST_CHECK enum mb_status mb_err_need(struct mb_err *err, bool has_memory, const char *what,
                                         const char *file, int line);

/* Zero `object` where `status` is a failure, and return the status again. */
MB_MUST_CHECK enum mb_status mb_zero_failed(enum mb_status status, void *object,
                                            size_t n_bytes);

/* Name of an error ("VK_ERROR_DEVICE_LOST"), or "VkResult <n>" in static storage of the calling
 * thread. */
const char *mb_vk_result_name(int vk_result);

#define MB_FAIL(err, code, ...) mb_err_set(err, code, __FILE__, __LINE__, __VA_ARGS__)

/* Declares a local struct that is finished when it goes out of scope, whichever way the
 * function returns: MB_SCOPED(mb_strbuf) text = {0}; calls mb_strbuf_finish(&text). The last
 * one declared is finished first. Finish an object after a failed init, too. */
#define MB_SCOPED(type) __attribute__((cleanup(type##_finish))) struct type

/* Return at once if a call fails: for functions with nothing to clean up. */
#define MB_DO(expr)                                                                            \
    do {                                                                                       \
        const enum mb_status mb_status_ = (expr);                                              \
        if (mb_status_ != MB_OK) {                                                             \
            return mb_status_;                                                                 \
        }                                                                                      \
    } while (0)

/* Return a failure, as by MB_FAIL, if something is wrong. */
#define MB_FAIL_IF(is_wrong, err, code, ...)                                                   \
    do {                                                                                       \
        if (is_wrong) {                                                                        \
            return MB_FAIL(err, code, __VA_ARGS__);                                            \
        }                                                                                      \
    } while (0)

/* As MB_DO, but jumps to `fail:` with the failure in a local `enum mb_status status`. */
#define MB_TRY(expr)                                                                           \
    do {                                                                                       \
        status = (expr);                                                                       \
        if (status != MB_OK) {                                                                 \
            goto fail;                                                                         \
        }                                                                                      \
    } while (0)

/* The status of an allocation: "<what>: out of memory" unless `has_memory`. */
#define MB_NEED(has_memory, what) mb_err_need(err, has_memory, what, __FILE__, __LINE__)

/* The status of a Vulkan call. */
#define MB_VK(call) mb_err_vk(err, call, #call, __FILE__, __LINE__)

/* The status of vkCreate... and vkAllocateMemory: as MB_VK(create(parent, info, NULL, handle)),
 * but zeroes `*handle` if the call fails. A failed call leaves an undefined handle
 * (Vulkan 1.3, 3.8.1 "Return Codes"), which must not be destroyed. */
#define MB_VK_MAKE(create, parent, info, handle)                                               \
    mb_zero_failed(                                                                            \
        mb_err_vk(err, create(parent, info, NULL, handle), #create, __FILE__, __LINE__),       \
        handle, sizeof *(handle))
