/* Texture files of a result's chain. */
#include "cli/chain.h"

#include "image/io/write.h"
#include "result/label.h"

static const struct {
    const char *name;
    enum mb_status (*encode)(const struct mb_texture *texture, struct mb_bytes *out,
                             struct mb_err *err);
} kinds[MB_N_CHAINS] = {
    [MB_CHAIN_KTX2] = {"chain.ktx2", mb_ktx2_encode},
    [MB_CHAIN_DDS] = {"chain.dds", mb_dds_encode},
};

enum mb_status mb_chains_write(const struct mb_artifacts *artifacts, const struct mb_case *c,
                               struct mb_result *result, const void *block, struct mb_err *err)
{
    const struct mb_texture texture = {
        .layout = &c->layout, .is_cube = c->is_cube, .block = block};
    const struct mb_text folder = mb_case_folder(c);
    for (int kind = 0; kind < MB_N_CHAINS && result->verify == MB_VERIFY_PASS; kind++) {
        MB_SCOPED(mb_bytes) bytes = {0};
        if ((artifacts->settings->chains & 1u << kind) != 0) {
            MB_DO(kinds[kind].encode(&texture, &bytes, err));
            MB_DO(mb_artifact_write(artifacts, &bytes, &result->chains, err, "%s/%s/%s",
                                    folder.s, result->slug, kinds[kind].name));
        }
    }
    return MB_OK;
}
