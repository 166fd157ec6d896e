/* PNG files of a result's chain. */
#ifndef MB_CLI_PICTURE_H
#define MB_CLI_PICTURE_H

#include "bench/result.h"
#include "bench/verify.h"

struct mb_picture_options {
    const char *dir; /* the run's output folder */
    enum mb_images images;
    struct mb_verifier *verifier; /* NULL: no error pictures */
};

/* Write into DIR/<input>_<W>x<H>_<format>_<reduce>/<strategy>/ what options->images asks for
 * (error_NN.png for failed levels whenever there are pictures at all) and append the paths,
 * relative to DIR, to result->images. */
MB_MUST_CHECK enum mb_status mb_pictures_write(const struct mb_picture_options *options,
                                               const struct mb_cell *cell,
                                               struct mb_result *result, const void *block,
                                               struct mb_err *err);

#endif
