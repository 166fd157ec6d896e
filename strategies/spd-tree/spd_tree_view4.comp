/* spd-tree by strips and slots: four channels. */
#version 460
#extension GL_GOOGLE_include_directive : require
#define CHANNELS 4
#define SLOTS
#include "strips_main.glsl"
