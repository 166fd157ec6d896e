/* spd-tree by strips and slots: two channels. */
#version 460
#extension GL_GOOGLE_include_directive : require
#define CHANNELS 2
#define SLOTS
#include "strips_main.glsl"
