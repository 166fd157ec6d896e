/* spd with subgroup quad operations (wave=quad). */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_quad : require
#define WAVE
#include "spd.glsl"
