#version 460
#extension GL_GOOGLE_include_directive : enable
#extension GL_KHR_shader_subgroup_shuffle : enable

#define NVPRO_PYRAMID_IS_FAST_PIPELINE 1
#include "macros.glsl"
#include "nvpro_pyramid.glsl"

void main()
{
    nvproPyramidMain();
}
