/* Pooled runs as text, for a person and for machines; private to src/cli. Pure. */
#ifndef MB_CLI_POOL_VIEW_H
#define MB_CLI_POOL_VIEW_H

#include "base/strbuf.h"
#include "compare/pool.h"
#include "cli/table.h"

/* A table for each case, at most 80 columns wide. */
void mb_pool_text(struct mb_strbuf *out, const struct mb_pools *pools,
                  const struct mb_table_style *style);

/* results/pool.schema.json. `*text` is owned by the caller (mb_free). Fails only without
 * memory.
 */
MB_MUST_CHECK enum mb_status mb_pool_json(const struct mb_pools *pools, uint64_t seed,
                                          char **text, struct mb_err *err);

#endif
