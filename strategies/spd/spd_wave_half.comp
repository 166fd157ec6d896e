/* spd with subgroup quad operations (wave=quad), in 16-bit floats (fp16=on). */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_quad : require
#define WAVE
#define HALF
#include "spd.glsl"
