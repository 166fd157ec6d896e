#include "disguise.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define BREACH_BYTES 200u

#define REPLACE(call, real, stand_in)                                                          \
    do {                                                                                       \
        real = call;                                                                           \
        call = stand_in;                                                                       \
    } while (0)

static const struct mb_edit *the_edits;
static char *breach;

void mb_disguise(const struct mb_edit edits[MB_MAX_EDITS])
{
    if (breach == NULL) {
        breach =
            mmap(NULL, BREACH_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    }
    breach[0] = '\0';
    the_edits = edits;
}

char *mb_disguise_breach(void)
{
    return breach;
}

__attribute__((format(printf, 1, 2))) static void note_breach(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(breach, BREACH_BYTES, format, args);
    va_end(args);
}

/* The edit of that kind, or NULL. */
static const struct mb_edit *find_edit(enum mb_edited what)
{
    for (int i = 0; the_edits != NULL && i < MB_MAX_EDITS; i++) {
        if (the_edits[i].what == what) {
            return &the_edits[i];
        }
    }
    return NULL;
}

/* Edit one structure, of which the first `n_skipped` bytes are not there. */
static void edit_members(VkStructureType type, size_t n_skipped, void *structure)
{
    for (int i = 0; the_edits != NULL && i < MB_MAX_EDITS; i++) {
        const struct mb_edit *edit = &the_edits[i];
        if (edit->what == MB_EDIT_MEMBER && edit->type == type) {
            memcpy((char *)structure + edit->offset - n_skipped, &edit->value, edit->n_bytes);
        }
    }
}

static void edit_chain(VkBaseOutStructure *first)
{
    for (VkBaseOutStructure *link = first; link != NULL; link = link->pNext) {
        edit_members(link->sType, 0, link);
    }
}

static PFN_vkGetPhysicalDeviceProperties2 real_properties2;
static void VKAPI_CALL get_properties2(VkPhysicalDevice device,
                                       VkPhysicalDeviceProperties2 *properties)
{
    real_properties2(device, properties);
    edit_chain((VkBaseOutStructure *)properties);
}

static PFN_vkGetPhysicalDeviceProperties real_properties;
static void VKAPI_CALL get_properties(VkPhysicalDevice device,
                                      VkPhysicalDeviceProperties *properties)
{
    real_properties(device, properties);
    edit_members(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                 offsetof(VkPhysicalDeviceProperties2, properties), properties);
}

static PFN_vkGetPhysicalDeviceFeatures2 real_features2;
static void VKAPI_CALL get_features2(VkPhysicalDevice device,
                                     VkPhysicalDeviceFeatures2 *features)
{
    real_features2(device, features);
    edit_chain((VkBaseOutStructure *)features);
}

static PFN_vkGetPhysicalDeviceQueueFamilyProperties real_queues;
static void VKAPI_CALL get_queues(VkPhysicalDevice device, uint32_t *n,
                                  VkQueueFamilyProperties *families)
{
    const struct mb_edit *place = find_edit(MB_EDIT_QUEUE_FAMILY);
    const uint32_t n_room = *n;
    real_queues(device, n, families);
    if (place != NULL) {
        *n = families == NULL || n_room > place->value ? (uint32_t)place->value + 1 : n_room;
    }
    for (uint32_t i = *n; place != NULL && families != NULL && i-- > 0;) {
        families[i] = i == place->value
                          ? families[0]
                          : (VkQueueFamilyProperties){.queueFlags = VK_QUEUE_TRANSFER_BIT,
                                                      .queueCount = 1};
    }
    const struct mb_edit *bits = find_edit(MB_EDIT_QUEUE_BITS);
    const struct mb_edit *flags = find_edit(MB_EDIT_QUEUE_FLAGS);
    const struct mb_edit *count = find_edit(MB_EDIT_QUEUE_COUNT);
    for (uint32_t i = 0; families != NULL && i < *n; i++) {
        VkQueueFamilyProperties *family = &families[i];
        family->timestampValidBits = bits ? (uint32_t)bits->value : family->timestampValidBits;
        family->queueFlags &= flags ? (VkQueueFlags)flags->value : family->queueFlags;
        family->queueCount = count ? (uint32_t)count->value : family->queueCount;
    }
}

static PFN_vkGetPhysicalDeviceFormatProperties real_format;
static void VKAPI_CALL get_format(VkPhysicalDevice device, VkFormat format,
                                  VkFormatProperties *properties)
{
    real_format(device, format, properties);
    const struct mb_edit *edit = find_edit(MB_EDIT_FORMAT_FEATURES);
    if (edit != NULL) {
        properties->optimalTilingFeatures &= ~(VkFormatFeatureFlags)edit->value;
    }
}

/* The format features that a usage needs. */
static VkFormatFeatureFlags features_of(VkImageUsageFlags usage)
{
    VkFormatFeatureFlags features = 0;
    features |= usage & VK_IMAGE_USAGE_SAMPLED_BIT ? VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT : 0;
    features |= usage & VK_IMAGE_USAGE_STORAGE_BIT ? VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT : 0;
    features |= usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                    ? VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT
                    : 0;
    return features;
}

/* An image of that usage asks for format features that were hidden. */
static bool is_beyond_format(VkImageUsageFlags usage, VkImageCreateFlags flags)
{
    const struct mb_edit *lacking = find_edit(MB_EDIT_FORMAT_FEATURES);
    return lacking != NULL && !(flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT) &&
           (features_of(usage) & lacking->value) != 0;
}

static VkPhysicalDeviceLimits told_limits(void)
{
    VkPhysicalDeviceProperties told = {.limits.maxImageDimension2D = UINT32_MAX,
                                       .limits.maxImageArrayLayers = UINT32_MAX};
    edit_members(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                 offsetof(VkPhysicalDeviceProperties2, properties), &told);
    return told.limits;
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static PFN_vkGetPhysicalDeviceImageFormatProperties real_image_format;
static VkResult VKAPI_CALL get_image_format(VkPhysicalDevice device, VkFormat format,
                                            VkImageType type, VkImageTiling tiling,
                                            VkImageUsageFlags usage, VkImageCreateFlags flags,
                                            VkImageFormatProperties *properties)
{
    const struct mb_edit *levels = find_edit(MB_EDIT_MIP_LEVELS);
    if (find_edit(MB_EDIT_NO_IMAGES) != NULL || is_beyond_format(usage, flags)) {
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    }
    const VkPhysicalDeviceLimits told = told_limits();
    const VkResult result =
        real_image_format(device, format, type, tiling, usage, flags, properties);
    VkExtent3D *extent = &properties->maxExtent;
    extent->width = least_of(extent->width, told.maxImageDimension2D);
    extent->height = least_of(extent->height, told.maxImageDimension2D);
    properties->maxArrayLayers = least_of(properties->maxArrayLayers, told.maxImageArrayLayers);
    properties->maxMipLevels = levels ? (uint32_t)levels->value : properties->maxMipLevels;
    return result;
}

static PFN_vkGetPhysicalDeviceMemoryProperties real_memory;
static void VKAPI_CALL get_memory(VkPhysicalDevice device,
                                  VkPhysicalDeviceMemoryProperties *memory)
{
    real_memory(device, memory);
    const struct mb_edit *bytes = find_edit(MB_EDIT_HEAP_BYTES);
    const struct mb_edit *flags = find_edit(MB_EDIT_MEMORY_FLAGS);
    for (uint32_t i = 0; bytes != NULL && i < memory->memoryHeapCount; i++) {
        memory->memoryHeaps[i].size = bytes->value;
    }
    for (uint32_t i = 0; flags != NULL && i < memory->memoryTypeCount; i++) {
        memory->memoryTypes[i].propertyFlags &= ~(VkMemoryPropertyFlags)flags->value;
    }
}

static PFN_vkEnumeratePhysicalDevices real_devices;
static VkResult VKAPI_CALL enumerate_devices(VkInstance instance, uint32_t *n,
                                             VkPhysicalDevice *devices)
{
    const struct mb_edit *edit = find_edit(MB_EDIT_DEVICES);
    const uint32_t n_room = *n;
    const VkResult result = real_devices(instance, n, devices);
    if (edit == NULL || devices == NULL || result < 0) {
        return result;
    }
    *n = edit->value < n_room ? (uint32_t)edit->value : n_room;
    for (uint32_t i = 1; i < *n; i++) {
        devices[i] = devices[0];
    }
    return edit->value > n_room ? VK_INCOMPLETE : VK_SUCCESS;
}

static PFN_vkEnumerateDeviceExtensionProperties real_extensions;
static VkResult VKAPI_CALL enumerate_extensions(VkPhysicalDevice device, const char *layer,
                                                uint32_t *n, VkExtensionProperties *list)
{
    if (find_edit(MB_EDIT_NO_EXTENSIONS) != NULL) {
        *n = 0;
        return VK_SUCCESS;
    }
    return real_extensions(device, layer, n, list);
}

/* A family's index as the device has it. */
static uint32_t own_family(uint32_t told)
{
    const struct mb_edit *place = find_edit(MB_EDIT_QUEUE_FAMILY);
    if (place != NULL && told != place->value) {
        note_breach("queues of family %u do not compute", told);
    }
    return place != NULL ? 0 : told;
}

static PFN_vkGetDeviceQueue real_queue;
static void VKAPI_CALL get_queue(VkDevice device, uint32_t family, uint32_t index,
                                 VkQueue *queue)
{
    real_queue(device, own_family(family), index, queue);
}

static PFN_vkCreateCommandPool real_pool;
static VkResult VKAPI_CALL create_pool(VkDevice device, const VkCommandPoolCreateInfo *info,
                                       const VkAllocationCallbacks *callbacks,
                                       VkCommandPool *pool)
{
    VkCommandPoolCreateInfo own = *info;
    own.queueFamilyIndex = own_family(info->queueFamilyIndex);
    return real_pool(device, &own, callbacks, pool);
}

/* A feature whose edit says VK_FALSE must not be switched on, nor an extension that is not
 * there.
 */
static PFN_vkCreateDevice real_create_device;
static VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                         const VkDeviceCreateInfo *info,
                                         const VkAllocationCallbacks *callbacks,
                                         VkDevice *device)
{
    for (const VkBaseInStructure *link = info->pNext; link != NULL; link = link->pNext) {
        for (int i = 0; the_edits != NULL && i < MB_MAX_EDITS; i++) {
            const struct mb_edit *edit = &the_edits[i];
            VkBool32 is_on = VK_FALSE;
            if (edit->what == MB_EDIT_MEMBER && edit->type == link->sType) {
                memcpy(&is_on, (const char *)link + edit->offset, sizeof is_on);
            }
            if (is_on && !edit->value) {
                note_breach("a feature was switched on that is not there");
            }
        }
    }
    if (find_edit(MB_EDIT_NO_EXTENSIONS) != NULL && info->enabledExtensionCount > 0) {
        note_breach("%s was switched on and is not there", info->ppEnabledExtensionNames[0]);
    }
    VkDeviceQueueCreateInfo queues[2] = {info->pQueueCreateInfos[0]};
    VkDeviceCreateInfo own = *info;
    own.pQueueCreateInfos = find_edit(MB_EDIT_QUEUE_FAMILY) ? queues : info->pQueueCreateInfos;
    queues[0].queueFamilyIndex = own_family(queues[0].queueFamilyIndex);
    return real_create_device(physical, &own, callbacks, device);
}

static PFN_vkCreateImage real_create_image;
static VkResult VKAPI_CALL create_image(VkDevice device, const VkImageCreateInfo *info,
                                        const VkAllocationCallbacks *callbacks, VkImage *image)
{
    const struct mb_edit *levels = find_edit(MB_EDIT_MIP_LEVELS);
    const VkPhysicalDeviceLimits told = told_limits();
    if (is_beyond_format(info->usage, info->flags)) {
        note_breach("an image of usage 0x%x was made", info->usage);
    }
    if (info->extent.width > told.maxImageDimension2D ||
        info->extent.height > told.maxImageDimension2D ||
        info->arrayLayers > told.maxImageArrayLayers ||
        (levels != NULL && info->mipLevels > levels->value)) {
        note_breach("an image of %ux%u, %u layers, %u levels was made", info->extent.width,
                    info->extent.height, info->arrayLayers, info->mipLevels);
    }
    if (find_edit(MB_EDIT_NO_IMAGES) != NULL) {
        note_breach("an image was made that cannot be");
    }
    return real_create_image(device, info, callbacks, image);
}

static PFN_vkAllocateMemory real_allocate;
static VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo *info,
                                    const VkAllocationCallbacks *callbacks,
                                    VkDeviceMemory *memory)
{
    const struct mb_edit *heap = find_edit(MB_EDIT_HEAP_BYTES);
    VkPhysicalDeviceVulkan11Properties told = {.maxMemoryAllocationSize = UINT64_MAX};
    edit_members(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, 0, &told);
    if ((heap != NULL && info->allocationSize > heap->value) ||
        (told.maxMemoryAllocationSize > 0 &&
         info->allocationSize > told.maxMemoryAllocationSize)) {
        note_breach("%llu bytes were allocated", (unsigned long long)info->allocationSize);
    }
    return real_allocate(device, info, callbacks, memory);
}

/* Which queries stamp the end of blits: the command buffer that was last blitted in is not
 * begun anew. */
#define MAX_QUERIES 8192u
static VkCommandBuffer blitted;
static bool ends_blits[MAX_QUERIES];

static PFN_vkBeginCommandBuffer real_begin;
static VkResult VKAPI_CALL begin_commands(VkCommandBuffer cmd,
                                          const VkCommandBufferBeginInfo *info)
{
    blitted = cmd == blitted ? VK_NULL_HANDLE : blitted;
    return real_begin(cmd, info);
}

static PFN_vkCmdBlitImage real_blit;
static void VKAPI_CALL blit(VkCommandBuffer cmd, VkImage source, VkImageLayout source_layout,
                            VkImage target, VkImageLayout target_layout, uint32_t n,
                            const VkImageBlit *regions, VkFilter filter)
{
    blitted = cmd;
    real_blit(cmd, source, source_layout, target, target_layout, n, regions, filter);
}

static PFN_vkCmdWriteTimestamp real_stamp;
static void VKAPI_CALL stamp(VkCommandBuffer cmd, VkPipelineStageFlagBits stage,
                             VkQueryPool pool, uint32_t query)
{
    ends_blits[query % MAX_QUERIES] = query % 2 == 1 && cmd == blitted;
    real_stamp(cmd, stage, pool, query);
}

static PFN_vkGetQueryPoolResults real_stamps;
static VkResult VKAPI_CALL get_stamps(VkDevice device, VkQueryPool pool, uint32_t first,
                                      uint32_t n, size_t n_bytes, void *data,
                                      VkDeviceSize stride, VkQueryResultFlags flags)
{
    static uint32_t n_pairs;
    const VkResult result = real_stamps(device, pool, first, n, n_bytes, data, stride, flags);
    const uint64_t lie = find_edit(MB_EDIT_STAMPS)->value;
    uint64_t *stamps = data;
    for (uint32_t i = 0; i < n && lie == MB_CLOCK_STOPPED; i++) {
        stamps[i] = 1000;
    }
    if (n == 2) {
        const bool is_due = lie == MB_CLOCK_SOMETIMES ? n_pairs++ % 66 == 65
                                                      : ends_blits[(first + 1) % MAX_QUERIES];
        stamps[1] = !is_due                   ? stamps[1]
                    : lie == MB_CLOCK_AHEAD   ? stamps[0] + UINT64_C(10000000000000)
                    : lie == MB_CLOCK_STUCK   ? stamps[0]
                    : lie == MB_CLOCK_STOPPED ? stamps[1]
                                              : stamps[0] - 5;
    }
    return result;
}

void mb_disguise_instance(void)
{
    if (the_edits == NULL) {
        return;
    }
    REPLACE(vkGetPhysicalDeviceProperties2, real_properties2, get_properties2);
    REPLACE(vkGetPhysicalDeviceProperties, real_properties, get_properties);
    REPLACE(vkGetPhysicalDeviceFeatures2, real_features2, get_features2);
    REPLACE(vkGetPhysicalDeviceQueueFamilyProperties, real_queues, get_queues);
    REPLACE(vkGetPhysicalDeviceFormatProperties, real_format, get_format);
    REPLACE(vkGetPhysicalDeviceImageFormatProperties, real_image_format, get_image_format);
    REPLACE(vkGetPhysicalDeviceMemoryProperties, real_memory, get_memory);
    REPLACE(vkEnumeratePhysicalDevices, real_devices, enumerate_devices);
    REPLACE(vkEnumerateDeviceExtensionProperties, real_extensions, enumerate_extensions);
    REPLACE(vkCreateDevice, real_create_device, create_device);
}

void mb_disguise_device(void)
{
    if (the_edits == NULL) {
        return;
    }
    REPLACE(vkGetDeviceQueue, real_queue, get_queue);
    REPLACE(vkCreateCommandPool, real_pool, create_pool);
    REPLACE(vkCreateImage, real_create_image, create_image);
    REPLACE(vkAllocateMemory, real_allocate, allocate);
    if (find_edit(MB_EDIT_STAMPS) != NULL) {
        REPLACE(vkBeginCommandBuffer, real_begin, begin_commands);
        REPLACE(vkCmdBlitImage, real_blit, blit);
        REPLACE(vkCmdWriteTimestamp, real_stamp, stamp);
        REPLACE(vkGetQueryPoolResults, real_stamps, get_stamps);
    }
}

uint32_t __real_volkGetInstanceVersion(void);
uint32_t __wrap_volkGetInstanceVersion(void);
uint32_t __wrap_volkGetInstanceVersion(void)
{
    const struct mb_edit *edit = find_edit(MB_EDIT_LOADER_VERSION);
    return edit ? (uint32_t)edit->value : __real_volkGetInstanceVersion();
}
