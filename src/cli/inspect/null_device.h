/* Devices that are not there, which drivers compile for: RADV's null device. */
#pragma once

#include "base/err.h"

/* Have the Vulkan loader, before it is loaded, find one device only: `spec` is "amd:CHIP", by
 * the chip's name, vega10 or navi31. MB_ERRC_DEVICE where the driver is not installed, or does
 * not know the chip. */
MB_MUST_CHECK enum mb_status mb_null_device_set_up(const char *spec, struct mb_err *err);
