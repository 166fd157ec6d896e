/* A device that says less of itself than it can, or something else: the getters' answers are
 * edited. What the program does then is held to what it was told: it switches on no feature,
 * makes no image and allocates no memory beyond that. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <volk.h>

/* What an edit is of. */
enum mb_edited {
    MB_EDIT_NOTHING,
    MB_EDIT_MEMBER,       /* of a structure that vkGet...2 fills: set to `value` */
    MB_EDIT_QUEUE_BITS,   /* timestampValidBits of all families: `value` */
    MB_EDIT_QUEUE_FLAGS,  /* queueFlags of all families: only those in `value` */
    MB_EDIT_QUEUE_FAMILY, /* the first family is that of index `value`; others only transfer */
    MB_EDIT_QUEUE_COUNT,  /* queueCount of all families: `value` */
    MB_EDIT_FORMAT_FEATURES, /* optimalTilingFeatures of all formats: without `value` */
    MB_EDIT_NO_IMAGES,       /* vkGetPhysicalDeviceImageFormatProperties: not supported */
    MB_EDIT_MIP_LEVELS,      /* of its answer, maxMipLevels: `value` */
    MB_EDIT_HEAP_BYTES,      /* size of every heap: `value` */
    MB_EDIT_MEMORY_FLAGS,    /* propertyFlags of every type: without `value` */
    MB_EDIT_DEVICES,         /* how many devices there are, all the same: `value` */
    MB_EDIT_NO_EXTENSIONS,   /* of the device: none */
    MB_EDIT_LOADER_VERSION,  /* of the instance: `value` */
    MB_EDIT_STAMPS,          /* what timestamps say: enum mb_clock_lie */
};

/* Of single stamps, the second of a pair; the first three after a blit only. */
enum mb_clock_lie {
    MB_CLOCK_BACKWARD,  /* before the first */
    MB_CLOCK_STUCK,     /* the same */
    MB_CLOCK_AHEAD,     /* hours later */
    MB_CLOCK_SOMETIMES, /* of all pairs, one in 66: before the first */
    MB_CLOCK_STOPPED,   /* all stamps are the same */
};

struct mb_edit {
    enum mb_edited what;
    VkStructureType type; /* MB_EDIT_MEMBER: of the structure, and where in it */
    size_t offset, n_bytes;
    uint64_t value;
};

#define MB_MAX_EDITS 5

/* From here on; NULL: none. Edits end at MB_EDIT_NOTHING. */
void mb_disguise(const struct mb_edit edits[MB_MAX_EDITS]);

/* Called when volk has loaded its pointers for an instance, and for a device. */
void mb_disguise_instance(void);
void mb_disguise_device(void);

/* What the program did beyond what it was told it may, or "". Shared with the parent. */
char *mb_disguise_breach(void);
