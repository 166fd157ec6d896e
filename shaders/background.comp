/* Work for the whole device that touches no memory: what a chain is timed beside. Each workgroup
 * is a chain of multiply-adds that takes some microseconds, so that workgroups of other queues
 * find room between them. */
#version 460

layout(local_size_x = 256) in;

layout(set = 0, binding = 0) writeonly buffer Target
{
    float target;
};

layout(push_constant) uniform Push
{
    uint n_steps;
    float factor, summand; /* from outside, so that no compiler knows the result */
    float never;           /* what no chain ends in */
};

void main()
{
    float value = float(gl_LocalInvocationID.x);
    for (uint i = 0u; i < n_steps; i++) {
        value = value * factor + summand;
    }
    if (value == never) {
        target = value;
    }
}
