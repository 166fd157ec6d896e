/* spd with shared memory only (wave=off), in 16-bit floats (fp16=on). */
#version 460
#extension GL_GOOGLE_include_directive : require
#define HALF
#include "spd.glsl"
