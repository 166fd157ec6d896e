/* @NAME@: up to five mip levels by one dispatch, through shared memory.
 *
 * A workgroup takes a tile of 32x32 texels of the source:
 *
 *     source        32x32    2x2 for each of 16x16 invocations
 *     target 1      16x16    one texel an invocation, which it leaves in shared memory
 *     target 2      8x8      of four of those, by a quarter of the invocations
 *     target 3..5   4x4, 2x2, 1
 *
 * That is exact as long as sizes are even. A level of odd size is the source of a dispatch of its own,
 * with IS_ODD, which makes one level from parts of three texels. The manifest beside this file says
 * so: "levels_per_step" asks even_levels(source_level), and "when" chooses the pipeline. */
#version 460

layout(local_size_x = 16, local_size_y = 16) in;

layout(constant_id = 0) const bool IS_ODD = false;

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray targets[5];

layout(push_constant) uniform Push
{
    ivec2 source_size;
    int n_levels; /* to make, 1 to 5 */
};

shared vec4 cells[16][16];

ivec2 size_of(int level) /* below the source */
{
    return max(source_size >> level, ivec2(1));
}

/* By constant indices: dynamic ones into images are an optional feature. Elements of the array beyond
 * those that are made show the last level once more, so that nothing may be stored there. What lies
 * beyond a level's size is not stored by any device. */
void store(int level, ivec2 at, vec4 texel)
{
    ivec3 p = ivec3(at, gl_WorkGroupID.z);
    switch (level) {
    case 1: imageStore(targets[0], p, texel); break;
    case 2: imageStore(targets[1], p, texel); break;
    case 3: imageStore(targets[2], p, texel); break;
    case 4: imageStore(targets[3], p, texel); break;
    case 5: imageStore(targets[4], p, texel); break;
    }
}

vec4 fetch(ivec2 at)
{
    return texelFetch(source, ivec3(min(at, source_size - 1), gl_WorkGroupID.z), 0);
}

/* Of 2x2 texels of a level; one that is a single texel wide or high has no second one to add. */
vec4 average(int level, vec4 v00, vec4 v10, vec4 v01, vec4 v11)
{
    ivec2 size = size_of(level);
    vec4 row0 = size.x == 1 ? v00 : 0.5 * (v00 + v10);
    vec4 row1 = size.x == 1 ? v01 : 0.5 * (v01 + v11);
    return size.y == 1 ? row0 : 0.5 * (row0 + row1);
}

/* Weights of texels 2 * at, 2 * at + 1 and 2 * at + 2 along an axis of n = 2m + 1 texels, of which
 * each of the m below is the average of n/m. */
vec3 weights(int at, int n)
{
    if (n == 1) {
        return vec3(1.0, 0.0, 0.0);
    }
    int m = n / 2;
    return n % 2 == 0 ? vec3(0.5, 0.5, 0.0) : vec3(m - at, m, at + 1) / float(n);
}

vec4 weighted_average(ivec2 at)
{
    vec3 x = weights(at.x, source_size.x), y = weights(at.y, source_size.y);
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 9; i++) {
        ivec2 tap = ivec2(i % 3, i / 3);
        float weight = x[tap.x] * y[tap.y];
        if (weight > 0.0) { /* an infinity that does not count must not get in as 0 * Inf */
            sum += weight * fetch(2 * at + tap);
        }
    }
    return sum;
}

void main()
{
    ivec2 own = ivec2(gl_LocalInvocationID), at = ivec2(gl_GlobalInvocationID);
    if (IS_ODD) {
        store(1, at, weighted_average(at));
        return;
    }
    vec4 texel = average(0, fetch(2 * at), fetch(2 * at + ivec2(1, 0)), fetch(2 * at + ivec2(0, 1)),
                         fetch(2 * at + 1));
    store(1, at, texel);
    cells[own.y][own.x] = texel;
    for (int level = 1; level < n_levels; level++) {
        int n = 16 >> level; /* texels of the next level, on each axis of the tile */
        bool is_active = own.x < n && own.y < n;
        ivec2 p = min(2 * own, ivec2(14));
        barrier(); /* all of this level is in the cells */
        texel = average(level, cells[p.y][p.x], cells[p.y][p.x + 1], cells[p.y + 1][p.x],
                        cells[p.y + 1][p.x + 1]);
        barrier(); /* all have read it */
        if (is_active) {
            cells[own.y][own.x] = texel;
            store(level + 1, ivec2(gl_WorkGroupID) * n + own, texel);
        }
    }
}
