/* Sentences on pooled runs as a whole: what they are, and who wins where. */
#pragma once

#include "base/strbuf.h"
#include "compare/pool.h"

/* "Mip-chain generation on an NVIDIA H200: 8 strategies, every texel verified" */
void mb_headline_title(struct mb_strbuf *out, const struct mb_pool *pool);

/* The title of a single pool; for several "Mip-chain generation on 2 devices: A and B" or
 * "Mip-chain generation on an NVIDIA H200: 2 builds". */
void mb_headline_of_all(struct mb_strbuf *out, const struct mb_pools *pools);

/* Whether the timing is the first one with its condition, say "cold latency". */
bool mb_headline_begins(const struct mb_pool *pool, size_t timing);

/* Sentences, a line each, on all timings with the condition of `timing`: who wins how many, by
 * how much, who wins the others, and what is faster but loses something. A single timing gets
 * its own sentences. */
void mb_headline_describe(struct mb_strbuf *out, const struct mb_pool *pool, size_t timing);
