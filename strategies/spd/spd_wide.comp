/* spd with shuffles across the subgroup (wave=on). */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#define WAVE
#define WIDE
#include "spd.glsl"
