/* What `mipbench list` knows, gathered before anything is written; private to src/cli. */
#ifndef MB_CLI_LIST_FACTS_H
#define MB_CLI_LIST_FACTS_H

#include "base/json.h"
#include "base/strbuf.h"
#include "cli/abilities.h"
#include "cli/options.h"

/* Whether a strategy with its default parameters runs on a device. */
struct mb_availability {
    bool is_available;
    char reason[512]; /* "" if it is */
};

struct mb_list_facts {
    const struct mb_strategy *const *strategies;
    size_t n_strategies;
    struct mb_gpu_info *devices; /* owned */
    size_t n_devices;
    struct mb_err no_device; /* why there is none */
    struct mb_availability
        *availability;              /* [n_devices][n_strategies]; owned; NULL: not asked */
    struct mb_abilities *abilities; /* [n_devices]; owned; NULL: not asked */
};

/* Every name of a VkSubgroupFeatureFlags bit. */
struct mb_subgroup_operation {
    VkSubgroupFeatureFlags bit;
    const char *name;
};
extern const struct mb_subgroup_operation mb_subgroup_operations[];
extern const size_t mb_subgroup_operation_count;

/* The two ways to write them. */
void mb_list_text(struct mb_strbuf *out, const struct mb_list_facts *facts,
                  enum mb_list_what what);
void mb_list_json(struct mb_json *json, const struct mb_list_facts *facts,
                  enum mb_list_what what);

/* The parts on formats: what each strategy can do with them, device by device. */
void mb_list_matrix_text(struct mb_strbuf *out, const struct mb_list_facts *facts);
void mb_list_formats_json(struct mb_json *json, const struct mb_list_facts *facts);

#endif
