/* Texture files of a result's chain. */
#include "cli/chain.h"

#include <stdio.h>

#include "bench/settings.h"
#include "base/alloc.h"
#include "base/file.h"
#include "result/describe.h"
#include "cli/picture.h"
#include "image/io/texture.h"

static const struct {
    const char *name;
    enum mb_status (*encode)(const struct mb_texture *texture, struct mb_bytes *out,
                             struct mb_err *err);
} kinds[MB_N_CHAINS] = {
    [MB_CHAIN_KTX2] = {"chain.ktx2", mb_ktx2_encode},
    [MB_CHAIN_DDS] = {"chain.dds", mb_dds_encode},
};

/* What all files of a chain have in common. */
struct writer {
    const char *dir;
    const char *folder; /* relative to `dir`; it is there */
    const struct mb_settings *settings;
    struct mb_texture texture;
};

static enum mb_status write_file(const char *path, enum mb_chain kind,
                                 const struct mb_texture *texture, struct mb_err *err)
{
    struct mb_bytes bytes = {0};
    enum mb_status status = kinds[kind].encode(texture, &bytes, err);
    if (status == MB_OK) {
        status = mb_file_write_atomic(path, bytes.data, bytes.n_bytes, err);
    }
    mb_bytes_finish(&bytes);
    return status;
}

/* Write a file, and note that it was written. */
static enum mb_status write_chain(const struct writer *w, enum mb_chain kind,
                                  struct mb_result *result, struct mb_err *err)
{
    char *relative = mb_path_join(w->folder, kinds[kind].name);
    char *path = relative ? mb_path_join(w->dir, relative) : NULL;
    enum mb_status status = path ? mb_picture_check_path(path, w->settings, err)
                                 : MB_FAIL(err, MB_ERRC_RUNTIME, "chain: out of memory");
    if (status == MB_OK) {
        status = write_file(path, kind, &w->texture, err);
    }
    mb_free(path);
    if (status != MB_OK) {
        mb_free(relative);
        return status;
    }
    return mb_result_add_path(&result->chains, &result->n_chain_files, relative, err);
}

enum mb_status mb_chains_write(const char *dir, const struct mb_settings *settings,
                               const struct mb_case *c, struct mb_result *result,
                               const void *block, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    char case_folder[256];
    char folder[512];
    const struct writer w = {
        .dir = dir,
        .folder = folder,
        .settings = settings,
        .texture = {.layout = &c->layout, .is_cube = c->is_cube, .block = block},
    };
    if (settings->chains == 0 || result->verify != MB_VERIFY_PASS) {
        return MB_OK;
    }
    mb_case_folder(c, case_folder, sizeof case_folder);
    snprintf(folder, sizeof folder, "%s/%s", case_folder, result->slug);
    char *path = mb_path_join(dir, folder);
    if (!path) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "chain: out of memory");
    }
    MB_TRY(mb_make_dirs(path, err));
    for (int kind = 0; kind < MB_N_CHAINS; kind++) {
        if ((settings->chains & 1u << kind) != 0) {
            MB_TRY(write_chain(&w, (enum mb_chain)kind, result, err));
        }
    }
fail:
    mb_free(path);
    return status;
}
