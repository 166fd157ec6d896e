/* What is said of a run, or of pooled ones, as a whole: what they are, and who wins where. */
#pragma once

#include "base/strbuf.h"
#include "compare/pool.h"

/* "Mip-chain generation on NVIDIA H200: 8 strategies, every texel verified" */
void mb_headline_title(struct mb_strbuf *out, const struct mb_pool *pool);

/* The title of a single pool; for several "Mip-chain generation on 2 devices: A and B" or
 * "Mip-chain generation on NVIDIA H200: 2 builds". */
void mb_headline_of_all(struct mb_strbuf *out, const struct mb_pools *pools);

/* How many timings the run has under the condition of `of` ("cold latency"), if that is the
 * first of them; else 0. */
size_t mb_headline_count(const struct mb_run *run, const struct mb_timing *of);

/* A line for each sentence on all timings under the condition of `of`: who wins in how many, by
 * how much, where not, and what is faster and loses something. Of a single one its own. */
void mb_headline_describe(struct mb_strbuf *out, const struct mb_run *run,
                          const struct mb_timing *of);

/* What closes a run of several tests: "6 tests, cold latency:" and the sentences on them, for
 * each condition with several; and a line for each strategy that failed. */
void mb_headline_summary(struct mb_strbuf *out, const struct mb_run *run);
