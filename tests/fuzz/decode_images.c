/* Prints what the loader makes of each file named: extent, bits a channel, and the digest of
 * the texels; or "refused" and the message. Then the file is loaded with each allocation
 * failing in turn. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/os.h"
#include "image/image.h"

static void describe(const char *path)
{
    static const unsigned bits[] = {
        [MB_DEPTH_U8] = 8, [MB_DEPTH_U16] = 16, [MB_DEPTH_F32] = 32};
    struct mb_image image;
    struct mb_err err = {0};
    if (mb_image_open(&image, path, 0, &err) != MB_OK) {
        printf("refused %s; %s\n", err.text, err.hint);
        return;
    }
    char digest[65];
    mb_sha256_hex(image.texels,
                  (size_t)image.width * image.height * mb_depth_texel_bytes(image.depth),
                  digest);
    printf("%" PRIu32 "x%" PRIu32 " %u %s\n", image.width, image.height, bits[image.depth],
           digest);
    mb_image_finish(&image);
}

static void fail_each_allocation(const char *path)
{
    const uint64_t n_live = mb_alloc_live_count();
    bool is_due = true;
    for (unsigned nth = 1; is_due; nth++) {
        struct mb_image image;
        struct mb_err err = {0};
        mb_alloc_fail_nth(nth, false);
        const enum mb_status status = mb_image_open(&image, path, 0, &err);
        mb_alloc_fail_nth(0, false);
        is_due = status != MB_OK && err.code == MB_ERRC_RUNTIME;
        mb_image_finish(&image);
        if (mb_alloc_live_count() != n_live || (nth == 1 && !is_due)) {
            fprintf(stderr, "%s: wrong without allocation %u\n", path, nth);
            exit(1);
        }
    }
}

int main(int argc, char **argv)
{
    mb_log_set_level(MB_LOG_ERROR);
    for (int i = 1; i < argc; i++) {
        describe(argv[i]);
        fail_each_allocation(argv[i]);
    }
    return 0;
}
