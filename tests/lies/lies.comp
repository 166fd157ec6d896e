/* An honest kernel, one dispatch for each level, exact at every size; and LIE, what lies.json puts in its
 * place: a statement that spoils the texel, the place it goes to, or whether it goes there. */
#version 460

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1, FORMAT) uniform image2DArray target;
layout(set = 0, binding = 2) buffer Memory { vec4 of_texel[]; } memory; /* never zeroed again */
layout(set = 0, binding = 3) uniform writeonly image2DArray other;      /* the target, or level 0 */

layout(push_constant) uniform Push
{
    ivec2 source_size;
    ivec2 size;
    int level; /* that is made */
    int last_level;
};

layout(constant_id = 0) const bool IS_SRGB = false;

vec4 decoded(vec4 texel)
{
    vec3 curve = pow((texel.rgb + 0.055) / 1.055, vec3(2.4));
    vec3 linear = mix(curve, texel.rgb / 12.92, lessThanEqual(texel.rgb, vec3(0.04045)));
    return IS_SRGB ? vec4(linear, texel.a) : texel;
}

vec4 encoded(vec4 texel)
{
    vec3 curve = 1.055 * pow(max(texel.rgb, 0.0), vec3(1.0 / 2.4)) - 0.055;
    vec3 codes = mix(curve, 12.92 * texel.rgb, lessThanEqual(texel.rgb, vec3(0.0031308)));
    return IS_SRGB ? vec4(codes, texel.a) : texel;
}

ivec3 at = ivec3(gl_GlobalInvocationID); /* the texel to make; z is the layer */

/* As it is stored, and as light. */
vec4 raw(ivec2 place)
{
    return texelFetch(source, ivec3(place, at.z), 0);
}

vec4 texel(int x, int y)
{
    return decoded(raw(2 * at.xy + ivec2(x, y)));
}

/* The 2x2 texels below, as they are stored. */
mat4 four()
{
    ivec2 place = 2 * at.xy;
    return mat4(raw(place), raw(place + ivec2(1, 0)), raw(place + ivec2(0, 1)), raw(place + 1));
}

/* Of texels 2 * at, 2 * at + 1 and 2 * at + 2 along an axis of n. */
vec3 weights(int place, int n)
{
    int m = n / 2;
    return n == 1 ? vec3(1, 0, 0) : n % 2 == 0 ? vec3(0.5, 0.5, 0) : vec3(m - place, m, place + 1) / n;
}

/* The greater or lesser one; what is no number does not count. */
vec4 chosen(vec4 a, vec4 b)
{
    bvec4 takes_b = bvec4(uvec4(REDUCE == 1 ? lessThan(b, a) : greaterThan(b, a)) | uvec4(isnan(a)));
    return mix(a, b, takes_b);
}

/* The texel at `place`, were the source as large as `n`. */
vec4 reduced(ivec2 place, ivec2 n)
{
    vec3 x = weights(place.x, n.x), y = weights(place.y, n.y);
    vec4 sum = vec4(0);
    bool is_first = true;
    for (int i = 0; i < 9; i++) {
        float weight = x[i % 3] * y[i / 3];
        if (weight > 0.0) {
            vec4 tap = decoded(raw(2 * place + ivec2(i % 3, i / 3)));
            sum = REDUCE == 0 ? sum + weight * tap : is_first ? tap : chosen(sum, tap);
            is_first = false;
        }
    }
    return sum;
}

/* Were axes of odd sizes one texel shorter. */
ivec2 even(ivec2 n)
{
    return max(n & ~1, min(n, 1));
}

vec4 mean_of_source()
{
    vec4 sum = vec4(0);
    for (int i = 0; i < source_size.x * source_size.y; i++) {
        sum += decoded(raw(ivec2(i % source_size.x, i / source_size.x)));
    }
    return sum / (source_size.x * source_size.y);
}

bool is_last()
{
    return level == last_level;
}

/* Where the texel has its place in memory; levels are 64x64 at most. */
int own()
{
    return ((level * int(gl_NumWorkGroups.z) + at.z) * 64 + at.y) * 64 + at.x;
}

/* How many runs were before this one. */
int run()
{
    return int(memory.of_texel[own()].r++);
}

/* From run 3 on (the first is 0), what was right in run 2. */
vec4 until_run_3(vec4 sum)
{
    vec4 kept = memory.of_texel[own()];
    if (kept.a < 3) {
        memory.of_texel[own()] = vec4(sum.rgb, kept.a + 1);
        return sum;
    }
    return vec4(kept.rgb, sum.a);
}

/* By what the program clears levels of rgba8 to before it judges a run. */
bool is_poisoned()
{
    vec4 kept = imageLoad(target, at);
    vec4 first = vec4(0.25, 0.75, 0.125, 0.625), second = vec4(0.875, 0.375, 0.5625, 0.0625);
    return min(distance(kept, first), distance(kept, second)) < 0.01;
}

void main()
{
    if (any(greaterThanEqual(at.xy, size))) {
        return;
    }
    ivec2 mirrored = size - 1 - at.xy;
    ivec3 to = at;
    bool stores = true;
    vec4 sum = reduced(at.xy, source_size);
    LIE
    if (stores) {
        imageStore(target, to, encoded(sum));
    }
}
