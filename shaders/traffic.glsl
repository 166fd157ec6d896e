/* Shared by the kernels of the roofline: the kinds of traffic, and the constants by which
 * variants differ. Values of TRAFFIC are those of enum mb_traffic. */
#ifndef TRAFFIC_GLSL
#define TRAFFIC_GLSL

#define TRAFFIC_READ  0u
#define TRAFFIC_FILL  1u
#define TRAFFIC_MIX   2u

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint TRAFFIC = TRAFFIC_READ;

/* Items per invocation: all are loaded before the first is used. */
#define MAX_ITEMS 8
layout(constant_id = 2) const uint N_ITEMS = 4u;

#endif
