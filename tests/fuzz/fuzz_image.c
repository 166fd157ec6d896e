/* Fuzz target of the image readers: whatever the bytes, decoding ends in texels or in one line,
 * frees what it took, and does the same again over memory that held something else before. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "fuzz.h"
#include "image/image.h"

#define STACK_BYTES (128u * 1024u)

/* Fill the stack that the decoder is about to use, and what malloc gives it. */
static __attribute__((noinline)) void poison(uint8_t byte)
{
    uint8_t stack[STACK_BYTES];
    memset(stack, byte, sizeof stack);
    __asm__ volatile(""
                     :
                     : "r"(stack)
                     : "memory"); /* it is to be there, though nobody reads it */
    mallopt(M_PERTURB, byte);
}

static void expect(bool is_met, const char *what)
{
    if (!is_met) {
        fprintf(stderr, "fuzz_image: %s\n", what);
        abort();
    }
}

static bool is_same(const struct mb_image *a, const struct mb_image *b)
{
    if (a->width != b->width || a->height != b->height || a->depth != b->depth) {
        return false;
    }
    const size_t n_bytes = (size_t)a->width * a->height * mb_depth_texel_bytes(a->depth);
    return n_bytes == 0 || memcmp(a->texels, b->texels, n_bytes) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    static const uint8_t poisons[2] = {0x5a, 0xc3};
    const struct mb_bytes file = {.data = (uint8_t *)data, .n_bytes = n_bytes};
    struct mb_image images[2];
    struct mb_err errs[2] = {0};
    const uint64_t n_live = mb_alloc_live_count();
    mb_log_set_level(MB_LOG_ERROR);
    for (int i = 0; i < 2; i++) {
        poison(poisons[i]);
        if (mb_image_decode(&images[i], "fuzzed.bin", &file, &errs[i]) == MB_OK) {
            expect(images[i].texels != NULL && images[i].width >= 1 && images[i].height >= 1,
                   "success without an image");
        } else {
            expect(errs[i].code == MB_ERRC_INPUT, "a failure that is not of the input");
            expect(images[i].texels == NULL, "a failure with an image");
            expect(errs[i].text[0] != '\0' && strchr(errs[i].text, '\n') == NULL,
                   "a failure without its one line");
        }
    }
    expect(is_same(&images[0], &images[1]), "the same bytes gave other texels");
    expect(strcmp(errs[0].text, errs[1].text) == 0, "the same bytes gave another message");
    mb_image_finish(&images[0]);
    mb_image_finish(&images[1]);
    expect(mb_alloc_live_count() == n_live, "memory was not given back");
    return 0;
}
