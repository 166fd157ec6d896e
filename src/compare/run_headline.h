/* Summaries of a run or of pooled runs: the title, and who wins under each condition. */
#pragma once

#include "base/strbuf.h"
#include "compare/pool.h"

/* "Mip-chain generation on NVIDIA H200: 8 strategies, every texel verified" */
void mb_headline_title(struct mb_strbuf *out, const struct mb_pool *pool);

/* The title of all pools: mb_headline_title() of a single pool, else "Mip-chain generation on 2
 * devices: A and B" or "Mip-chain generation on NVIDIA H200: 2 builds". */
void mb_headline_of_all(struct mb_strbuf *out, const struct mb_pools *pools);

/* If `of` is the run's first timing under its condition ("cold latency"): the number of timings
 * under that condition; else 0. */
size_t mb_headline_count(const struct mb_run *run, const struct mb_timing *of);

/* Describe all timings under the condition of `of`, a line for each sentence: who wins most
 * tests and by how much, who wins the others, and what is faster but inexact. If there is only
 * one timing: mb_ranking_lines(). */
void mb_headline_describe(struct mb_strbuf *out, const struct mb_run *run,
                          const struct mb_timing *of);

/* An empty line, and "FAILED: spd on photo.png, 64x64 rgba8: wrong: ..." for each strategy that
 * failed; nothing if none did. */
void mb_headline_failures(struct mb_strbuf *out, const struct mb_run *run);

/* The last lines of a run of several tests: for each condition with several tests, "6 tests,
 * cold latency:" and the sentences on them; then mb_headline_failures(). */
void mb_headline_summary(struct mb_strbuf *out, const struct mb_run *run);
