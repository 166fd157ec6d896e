/* spd-tree by strips and slots: rg11b10f. */
#version 460
#extension GL_GOOGLE_include_directive : require
#define RAW
#define CHANNELS 3
#define SLOTS
#include "strips_main.glsl"
