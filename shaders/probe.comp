/* A probe of the clock: a chain of multiply-adds, each of which needs the one before. Its time is
 * steps x latency / clock, whatever the memory does. */
#version 460

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) writeonly buffer Target
{
    float target[];
};

layout(push_constant) uniform Push
{
    uint n_steps;
    float factor, summand; /* from outside, so that no compiler knows the result */
};

void main()
{
    float value = float(gl_LocalInvocationID.x);
    for (uint i = 0u; i < n_steps; i++) {
        value = value * factor + summand;
    }
    /* Of many workgroups, which only keep the device busy, the first one. */
    if (gl_WorkGroupID.x == 0u || value > 64.0) {
        target[gl_LocalInvocationID.x] = value;
    }
}
