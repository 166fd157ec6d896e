/* JPEG input (ITU-T T.81), decoded by libjpeg-turbo. */
#include "image/io/reader.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#include "base/log.h"

/* libjpeg holds all coefficients of a progressive file in memory. */
#define MAX_MEMORY_BYTES (1024L * 1024L * 1024L)
#define MAX_SCANS        100

/* The most texels that one byte can stand for: eight blocks of one bit each, and 32x32 texels a
 * block if the sampling factors are 4 and 4. */
#define MAX_TEXELS_PER_BYTE 8192u

#define MARKER_EXIF     (JPEG_APP0 + 1)
#define MAX_EXIF_BYTES  0xffffu
#define TAG_ORIENTATION 0x112u
#define TYPE_SHORT      3u
#define TYPE_LONG       4u
#define TYPE_SLONG      9u

struct job {
    struct mb_reader *reader;
    struct mb_err *err;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf failed;
    bool has_header; /* the header has been read; texels follow */
};

/* ---- Callbacks of libjpeg */

/* Leave libjpeg, whose error function must not return. The caller has set the job's error. */
static void leave(j_common_ptr common)
{
    longjmp(((struct job *)common->client_data)->failed, 1);
}

static void on_error(j_common_ptr common)
{
    const struct job *job = common->client_data;
    char text[JMSG_LENGTH_MAX];
    common->err->format_message(common, text);
    const char *const path = job->reader->path;
    if (common->err->msg_code == JERR_OUT_OF_MEMORY) {
        MB_FAIL(job->err, MB_ERRC_RUNTIME, "%s: out of memory for a JPEG", path);
    } else if (common->err->msg_code == JERR_NO_BACKING_STORE) {
        MB_FAIL(job->err, MB_ERRC_INPUT, "%s: decoding takes more than %ld MiB", path,
                MAX_MEMORY_BYTES >> 20);
    } else {
        MB_FAIL(job->err, MB_ERRC_INPUT, "%s: bad JPEG: %s", path, text);
    }
    leave(common);
}

/* Fail on a warning (level -1), which means a damaged file with made-up texels. Only log the
 * warnings of an unknown version and of extraneous bytes before the data. */
static void on_message(j_common_ptr common, int level)
{
    const struct job *job = common->client_data;
    const int code = common->err->msg_code;
    if (level < 0 &&
        (code == JWRN_JFIF_MAJOR || (code == JWRN_EXTRANEOUS_DATA && !job->has_header))) {
        char text[JMSG_LENGTH_MAX];
        common->err->format_message(common, text);
        mb_log(MB_LOG_WARN, "%s: %s", job->reader->path, text);
    } else if (level < 0) {
        on_error(common);
    }
}

/* Limit the scans: decoding a scan visits all texels, even if it has only a few bytes. */
static void on_progress(j_common_ptr common)
{
    const struct job *job = common->client_data;
    if (job->jpeg.input_scan_number > MAX_SCANS) {
        MB_FAIL(job->err, MB_ERRC_INPUT, "%s: bad JPEG: more than %d scans", job->reader->path,
                MAX_SCANS);
        leave(common);
    }
}

/* ---- Orientation */

/* The orientation in the first directory of a TIFF file, or 0 if it has none. */
static uint32_t find_orientation(const uint8_t *tiff, size_t n_bytes)
{
    if (n_bytes < 8 || (memcmp(tiff, "II", 2) != 0 && memcmp(tiff, "MM", 2) != 0)) {
        return 0;
    }
    const bool is_big_endian = tiff[0] == 'M';
    uint32_t (*const get16)(const uint8_t *p) = is_big_endian ? mb_get_be16 : mb_get_le16;
    uint32_t (*const get32)(const uint8_t *p) = is_big_endian ? mb_get_be32 : mb_get_le32;
    const size_t directory = get32(tiff + 4);
    if (get16(tiff + 2) != 42 || directory > n_bytes - 2) {
        return 0;
    }
    const size_t n_there = (n_bytes - directory - 2) / 12, n = get16(tiff + directory);
    for (size_t i = 0; i < n && i < n_there; i++) {
        const uint8_t *const entry = tiff + directory + 2 + i * 12;
        const uint32_t type = get16(entry + 2);
        const bool is_long = type == TYPE_LONG || type == TYPE_SLONG;
        if (get16(entry) == TAG_ORIENTATION && (is_long || type == TYPE_SHORT)) {
            return is_long ? get32(entry + 8) : get16(entry + 8);
        }
    }
    return 0;
}

/* The orientation, 1 to 8 as in EXIF; 1 (as stored) if it is absent or invalid. */
static uint32_t read_orientation(const struct jpeg_decompress_struct *jpeg)
{
    static const char begin[6] = "Exif\0";
    for (const struct jpeg_marker_struct *m = jpeg->marker_list; m != NULL; m = m->next) {
        if (m->data_length >= sizeof begin && memcmp(m->data, begin, sizeof begin) == 0) {
            const uint32_t orientation =
                find_orientation(m->data + sizeof begin, m->data_length - sizeof begin);
            return orientation >= 1 && orientation <= 8 ? orientation : 1;
        }
    }
    return 1;
}

/* ---- Decoding */

MB_MUST_CHECK static enum mb_status check_kind(const struct job *job)
{
    const struct jpeg_decompress_struct *jpeg = &job->jpeg;
    const char *const path = job->reader->path;
    if (jpeg->num_components == 4) {
        MB_FAIL(job->err, MB_ERRC_INPUT, "%s: CMYK JPEG is not read", path);
        return mb_err_hint(job->err, "convert it: 'convert %.80s -colorspace sRGB out.png'",
                           path);
    }
    MB_FAIL_IF(jpeg->arith_code, job->err, MB_ERRC_INPUT,
               "%s: JPEG with arithmetic coding is not read", path);
    return MB_OK;
}

/* Decode the file. Everything that must survive libjpeg's jump is in the job. */
MB_MUST_CHECK static enum mb_status decode(struct job *job)
{
    struct jpeg_decompress_struct *jpeg = &job->jpeg;
    if (setjmp(job->failed) != 0) {
        return MB_FAILED;
    }
    jpeg_create_decompress(jpeg);
    jpeg->mem->max_memory_to_use = MAX_MEMORY_BYTES;
    jpeg->progress = &job->progress;
    jpeg_mem_src(jpeg, job->reader->begin, mb_reader_left(job->reader));
    jpeg_save_markers(jpeg, MARKER_EXIF, MAX_EXIF_BYTES);
    jpeg_read_header(jpeg, TRUE);
    job->has_header = true;
    const uint32_t orientation = read_orientation(jpeg);
    MB_DO(check_kind(job));
    MB_DO(mb_reader_start(
        job->reader, jpeg->image_width, jpeg->image_height, MB_DEPTH_U8,
        (uint64_t)jpeg->image_width * jpeg->image_height / MAX_TEXELS_PER_BYTE, job->err));
    jpeg->out_color_space = JCS_EXT_RGBA;
    jpeg_start_decompress(jpeg);
    while (jpeg->output_scanline < jpeg->output_height) {
        const size_t first = (size_t)jpeg->output_scanline * jpeg->output_width;
        uint8_t *row = (uint8_t *)job->reader->image->texels + first * 4;
        jpeg_read_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_decompress(jpeg);
    return mb_reader_turn(job->reader, orientation, job->err);
}

enum mb_status mb_jpeg_decode(struct mb_reader *reader, struct mb_err *err)
{
    struct job job = {
        .reader = reader, .err = err, .progress = {.progress_monitor = on_progress}};
    job.jpeg.err = jpeg_std_error(&job.errors);
    job.jpeg.client_data = &job;
    job.errors.error_exit = on_error;
    job.errors.emit_message = on_message;
    const enum mb_status status = decode(&job);
    jpeg_destroy_decompress(&job.jpeg);
    return status;
}
