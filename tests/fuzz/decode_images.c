/* Prints what the loader makes of each file named: extent, bits a channel, and the digest of
 * the texels; or "refused" and the message. */
#include <inttypes.h>
#include <stdio.h>

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
        printf("refused %s\n", err.text);
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

int main(int argc, char **argv)
{
    mb_log_set_level(MB_LOG_ERROR);
    for (int i = 1; i < argc; i++) {
        describe(argv[i]);
    }
    return 0;
}
