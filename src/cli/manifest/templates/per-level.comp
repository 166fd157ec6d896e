/* @NAME@: makes each mip level from the level above it, by a dispatch of its own.
 *
 * The manifest beside this file, @NAME@.json, says what is bound and pushed here, and how many
 * workgroups there are. It has one step for each level:
 *
 *     step 0: level 0 -> level 1,  barrier,  step 1: level 1 -> level 2,  barrier, ...
 *
 * The program places the barriers. */
#version 460

layout(local_size_x = 16, local_size_y = 16) in; /* "groups" divides by these */

/* The level above, and the level to make. Layers are the third coordinate, 0 if the image has none.
 * The target has no format here, so that one module serves all formats. */
layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray target;

layout(push_constant) uniform Push
{
    ivec2 source_size;
    ivec2 target_size;
};

/* No device stores to an sRGB format. Views of both levels are UNORM ("linear" in the manifest), and
 * the curve is applied here, so that light is averaged, not codes. */
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

/* Weights of texels 2 * at, 2 * at + 1 and 2 * at + 2 along an axis of the source. The level below an
 * odd size n = 2m + 1 has m texels, each the average of n/m source texels, which spread over three. An
 * average of only two would drop the last row or column: policy "floor" in the manifest. */
vec3 weights(int at, int n)
{
    if (n == 1) {
        return vec3(1.0, 0.0, 0.0);
    }
    int m = n / 2;
    return n % 2 == 0 ? vec3(0.5, 0.5, 0.0) : vec3(m - at, m, at + 1) / float(n);
}

void main()
{
    ivec3 at = ivec3(gl_GlobalInvocationID);
    if (any(greaterThanEqual(at.xy, target_size))) {
        return; /* the last workgroups reach beyond the level */
    }
    vec3 x = weights(at.x, source_size.x), y = weights(at.y, source_size.y);
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 9; i++) {
        ivec2 tap = ivec2(i % 3, i / 3);
        float weight = x[tap.x] * y[tap.y];
        if (weight > 0.0) { /* 0 * Inf would be NaN */
            sum += weight * decoded(texelFetch(source, ivec3(2 * at.xy + tap, at.z), 0));
        }
    }
    imageStore(target, at, encoded(sum));
}
