#version 460
#extension GL_GOOGLE_include_directive : enable

#define NVPRO_PYRAMID_IS_FAST_PIPELINE 0
#include "macros.glsl"
#include "nvpro_pyramid.glsl"

void main()
{
    nvproPyramidMain();
}
