/* spd-tree of averages of rgba8 of any size, by strips: words add up what tiles share. */
#version 460
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_quad : require
#define RAW
#define CHANNELS 4
#include "strips_main.glsl"
