/* spd with shared memory only (wave=off). */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "spd.glsl"
