/* Lanes that exchange texels: a subgroup or, without SUBGROUPS, SUBGROUP_SIZE invocations that exchange through shared
 * memory. In the latter case the whole workgroup must take part in every exchange. */

#ifdef SUBGROUPS
#define LANE gl_SubgroupInvocationID
#define LANES_ID gl_SubgroupID /* index of this group of SUBGROUP_SIZE lanes */

#ifdef ALPHA
TEXEL subgroupShuffle(const TEXEL own, const uint lane)
{
    return TEXEL(subgroupShuffle(own[0], lane), subgroupShuffle(own[1], lane));
}

TEXEL subgroupShuffleXor(const TEXEL own, const uint mask)
{
    return TEXEL(subgroupShuffleXor(own[0], mask), subgroupShuffleXor(own[1], mask));
}
#endif

#define from_lane(own, lane) subgroupShuffle(own, lane)
#define from_lane_xor(own, mask) subgroupShuffleXor(own, mask)
/* Two texels from one lane, and one texel from each of two lanes. */
#define two_from_lane(a, b, lane) ENCODED[2](from_lane(a, lane), from_lane(b, lane))
#define from_two_lanes(own, a, b) TEXEL[2](from_lane(own, a), from_lane(own, b))

#else
#define LANE (gl_LocalInvocationIndex % SUBGROUP_SIZE)
#define LANES_ID (gl_LocalInvocationIndex / SUBGROUP_SIZE)

shared TEXEL texel_of_lane[N_INVOCATIONS];
shared ENCODED encoded_of_lane[2 * N_INVOCATIONS];

TEXEL from_lane(const TEXEL own, const uint lane)
{
    barrier();
    texel_of_lane[gl_LocalInvocationIndex] = own;
    barrier();
    return texel_of_lane[LANES_ID * SUBGROUP_SIZE + lane];
}

TEXEL from_lane_xor(const TEXEL own, const uint mask)
{
    return from_lane(own, LANE ^ mask);
}

ENCODED[2] two_from_lane(const ENCODED a, const ENCODED b, const uint lane)
{
    uint from = 2u * (LANES_ID * SUBGROUP_SIZE + lane), to = 2u * gl_LocalInvocationIndex;
    barrier();
    encoded_of_lane[to] = a;
    encoded_of_lane[to + 1u] = b;
    barrier();
    return ENCODED[2](encoded_of_lane[from], encoded_of_lane[from + 1u]);
}

TEXEL[2] from_two_lanes(const TEXEL own, const uint a, const uint b)
{
    TEXEL first = from_lane(own, a);
    return TEXEL[2](first, texel_of_lane[LANES_ID * SUBGROUP_SIZE + b]);
}
#endif

/* Invocation index with consecutive lanes: gl_LocalInvocationIndex promises no relation to subgroups. */
#define INDEX (LANES_ID * SUBGROUP_SIZE + LANE)
