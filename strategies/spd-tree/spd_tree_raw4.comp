/* spd-tree by strips and slots: four channels in four bytes. */
#version 460
#extension GL_GOOGLE_include_directive : require
#define RAW
#define CHANNELS 4
#define SLOTS
#include "strips_main.glsl"
