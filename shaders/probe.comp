/* A probe of the clock: a chain of dependent multiply-adds. Its time is steps x latency /
 * clock, however busy the memory is. */
#version 460

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) writeonly buffer Target
{
    float target[];
};

layout(push_constant) uniform Push
{
    uint n_steps;
    float factor, summand; /* not constants, so that no compiler knows the result */
};

void main()
{
    float value = float(gl_LocalInvocationID.x);
    for (uint i = 0u; i < n_steps; i++) {
        value = value * factor + summand;
    }
    /* Only the first workgroup stores; the many others keep the device busy. */
    if (gl_WorkGroupID.x == 0u || value > 64.0) {
        target[gl_LocalInvocationID.x] = value;
    }
}
