/* Policies: their names. */
#include "image/policy.h"

const char *mb_policy_name(enum mb_policy policy)
{
    static const char *const names[MB_N_POLICIES] = {
        [MB_POLICY_BOX] = "box",
        [MB_POLICY_FLOOR] = "floor",
        [MB_POLICY_BLIT] = "blit",
        [MB_POLICY_KAISER] = "kaiser",
        [MB_POLICY_LANCZOS] = "lanczos",
        [MB_POLICY_GAUSSIAN] = "gaussian",
        [MB_POLICY_GAUSSIAN16] = "gaussian16",
    };
    return names[policy];
}

bool mb_policy_is_wide(enum mb_policy policy)
{
    return policy >= MB_POLICY_KAISER;
}
