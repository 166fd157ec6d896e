/* What spd-tree does with an image, for a test of the header that is exported: the names in the
 * two are the same, so that they cannot meet in one file. */
#pragma once

#include "image/pyramid.h"

struct spd_tree_reference {
    uint32_t n_groups[3];
    uint64_t hand_off_bytes, counter_bytes;
    uint32_t shared_bytes;
    /* By constant_id; a format's are of its constants alone. */
    uint32_t constants[19];
    unsigned char push[96];
    size_t push_bytes;
};

void spd_tree_refer(const struct mb_layout *layout, struct spd_tree_reference *reference);
