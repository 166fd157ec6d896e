/* spd-tree by strips and slots: one channel in four bytes. */
#version 460
#extension GL_GOOGLE_include_directive : require
#define RAW
#define CHANNELS 1
#define SLOTS
#include "strips_main.glsl"
