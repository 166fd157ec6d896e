/* Folders as inputs: their images in natural order, and nothing else. */
#include "cli/options/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "check.h"
#include "image/image.h"

static void touch(const char *name)
{
    FILE *file = fopen(name, "w");
    CHECK(file != NULL && fclose(file) == 0);
}

/* In a fresh folder, which is the working one from here on. */
static void enter_folder(void)
{
    static const char *const names[] = {"img10.png", "img2.png", "img1.PNG",   "b.hdr",
                                        "notes.txt", "png",      ".hidden.png"};
    static char path[] = "/tmp/mipbench-folder-XXXXXX";
    CHECK(mkdtemp(path) != NULL && chdir(path) == 0);
    CHECK(mkdir("photos", 0777) == 0 && mkdir("empty", 0777) == 0 && chdir("photos") == 0);
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        touch(names[i]);
    }
    CHECK(mkdir("sub.png", 0777) == 0); /* a folder is no image, and is not entered */
    CHECK(chdir("..") == 0);
}

static void leave_folder(void)
{
    char path[256];
    CHECK(getcwd(path, sizeof path) != NULL && chdir("/") == 0);
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", path);
    CHECK_EQ_INT(system(command), 0);
}

static enum mb_status expand(struct mb_strlist *inputs, const char *const *words, size_t n,
                             struct mb_err *err)
{
    for (size_t i = 0; i < n; i++) {
        CHECK_EQ_INT(mb_strlist_add(inputs, err, "%s", words[i]), MB_OK);
    }
    return mb_images_expand(inputs, err);
}

static void test_mix(void)
{
    static const char *const words[] = {"z.png", "photos", "pattern:noise:8x8", "photos/"};
    static const char *const wanted[] = {
        "z.png",           "photos/b.hdr",     "photos/img1.PNG",
        "photos/img2.png", "photos/img10.png", "pattern:noise:8x8",
        "photos/b.hdr",    "photos/img1.PNG",  "photos/img2.png",
        "photos/img10.png"};
    struct mb_strlist inputs = {0};
    struct mb_err err = {0};
    CHECK_EQ_INT(expand(&inputs, words, MB_COUNTOF(words), &err), MB_OK);
    CHECK_EQ_INT(inputs.n, MB_COUNTOF(wanted));
    for (size_t i = 0; i < MB_COUNTOF(wanted) && i < inputs.n; i++) {
        CHECK_EQ_STR(inputs.items[i], wanted[i]);
    }
    mb_strlist_finish(&inputs);
}

static void test_without_images(void)
{
    static const char *const words[] = {"photos", "empty"};
    struct mb_strlist inputs = {0};
    struct mb_err err = {0};
    CHECK_EQ_INT(expand(&inputs, words, MB_COUNTOF(words), &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
    CHECK_EQ_STR(err.text, "empty: no images in this folder");
    mb_strlist_finish(&inputs);
}

static enum mb_status expand_photos(void *user, struct mb_err *err)
{
    struct mb_strlist inputs = {0};
    enum mb_status status = mb_strlist_add(&inputs, err, "%s", (const char *)user);
    status = status == MB_OK ? mb_images_expand(&inputs, err) : status;
    mb_strlist_finish(&inputs);
    return status;
}

static void test_no_memory(void)
{
    char photos[] = "photos";
    CHECK(check_each_allocation(expand_photos, photos) >= 7);
}

static void test_suffixes(void)
{
    static const char *const images[] = {"a.png",   "a.bmp",  "a.TGA", "a.ppm",
                                         "a.pgm",   "a.pnm",  "a.pfm", "a.hdr",
                                         "a.b.Png", "a.ktx2", "a.DDS"};
    static const char *const others[] = {"png",  "a.pbm", "a.txt", "a.png.txt",
                                         "a.pn", "a.",    ""};
    for (size_t i = 0; i < MB_COUNTOF(images); i++) {
        CHECK(mb_image_has_suffix(images[i]));
    }
    for (size_t i = 0; i < MB_COUNTOF(others); i++) {
        CHECK(!mb_image_has_suffix(others[i]));
    }
}

int main(void)
{
    return CHECK_TESTS(enter_folder, test_suffixes, test_mix, test_without_images,
                       test_no_memory, leave_folder);
}
