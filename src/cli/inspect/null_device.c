/* RADV's null device by the environment: the loader is given RADV alone, and RADV a chip. */
#include "cli/inspect/null_device.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/os.h"

#define PREFIX "amd:"

#define MAX_MANIFEST_BYTES ((size_t)1 << 16)
#define MAX_DRIVER_BYTES   ((size_t)1 << 28)

/* Where distributions put what tells the loader of RADV. */
static const char *const manifests[] = {
    "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json",
    "/usr/share/vulkan/icd.d/radeon_icd.aarch64.json",
    "/usr/share/vulkan/icd.d/radeon_icd.json",
    "/usr/local/share/vulkan/icd.d/radeon_icd.x86_64.json",
    "/etc/vulkan/icd.d/radeon_icd.x86_64.json",
};

/* And where drivers are whose manifests name no folder, as Debian 13's do not. */
static const char *const library_folders[] = {
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
};

/* Mesa before 23.1 had no other names for these. */
static const struct {
    const char *name, *old;
} renamed[] = {
    {"NAVI31", "GFX1100"},
    {"NAVI32", "GFX1101"},
    {"NAVI33", "GFX1102"},
};

/* Whether the driver holds the name, as a string of its own: asked for another one it aborts.
 */
static bool is_known(const uint8_t *driver, size_t n_bytes, const char *chip)
{
    const size_t n = strlen(chip) + 1;
    for (size_t i = 1; i + n <= n_bytes; i++) {
        if (driver[i - 1] == 0 && memcmp(&driver[i], chip, n) == 0) {
            return true;
        }
    }
    return false;
}

/* The file of the driver, of its manifest; "" where it is not found. */
static void find_driver(const struct mb_json *manifest, char path[MB_PATH_BYTES])
{
    const char *name = mb_json_read_string(mb_json_get(manifest->root, "ICD"), "library_path");
    snprintf(path, MB_PATH_BYTES, "%s", name ? name : "");
    for (size_t i = 0; name && !strchr(name, '/') && i < MB_COUNTOF(library_folders); i++) {
        snprintf(path, MB_PATH_BYTES, "%s/%s", library_folders[i], name);
        if (mb_os_kind(path) == MB_KIND_FILE) {
            return;
        }
    }
    if (path[0] != '/' || mb_os_kind(path) != MB_KIND_FILE) {
        path[0] = '\0';
    }
}

/* The name by which the driver knows the chip, in `chip`; MB_ERRC_DEVICE: by none. */
static enum mb_status name_chip(const char *driver_path, char *chip, size_t chip_bytes,
                                struct mb_err *err)
{
    MB_SCOPED(mb_bytes) driver = {0};
    MB_DO(mb_file_read(driver_path, MAX_DRIVER_BYTES, &driver, err));
    for (size_t i = 0; i < MB_COUNTOF(renamed) && !is_known(driver.data, driver.n_bytes, chip);
         i++) {
        if (strcmp(chip, renamed[i].name) == 0) {
            snprintf(chip, chip_bytes, "%s", renamed[i].old);
        }
    }
    MB_FAIL_IF(!is_known(driver.data, driver.n_bytes, chip), err, MB_ERRC_DEVICE,
               "--null: %s knows no chip '%s'", driver_path, chip);
    return MB_OK;
}

static enum mb_status set_up(const char *path, const char *name, struct mb_err *err)
{
    MB_SCOPED(mb_bytes) text = {0};
    MB_SCOPED(mb_json) manifest = {0};
    char chip[32] = "", driver[MB_PATH_BYTES];
    MB_DO(mb_file_read(path, MAX_MANIFEST_BYTES, &text, err));
    MB_DO(mb_json_parse(&manifest, (const char *)text.data, err));
    for (size_t i = 0; name[i] != '\0' && i + 1 < sizeof chip; i++) {
        chip[i] = (char)toupper((unsigned char)name[i]);
    }
    find_driver(&manifest, driver);
    if (driver[0] != '\0') {
        MB_DO(name_chip(driver, chip, sizeof chip, err));
    }
    mb_os_set("RADV_FORCE_FAMILY", chip);
    mb_os_set("VK_DRIVER_FILES", path);
    mb_os_set("VK_ICD_FILENAMES", path);
    return MB_OK;
}

enum mb_status mb_null_device_set_up(const char *spec, struct mb_err *err)
{
    MB_FAIL_IF(strncmp(spec, PREFIX, strlen(PREFIX)) != 0 || spec[strlen(PREFIX)] == '\0', err,
               MB_ERRC_USAGE, "--null: unknown chip '%s'; write " PREFIX "vega10", spec);
    for (size_t i = 0; i < MB_COUNTOF(manifests); i++) {
        if (mb_os_kind(manifests[i]) == MB_KIND_FILE) {
            return set_up(manifests[i], spec + strlen(PREFIX), err);
        }
    }
    const enum mb_status status = MB_FAIL(
        err, MB_ERRC_DEVICE, "--null: RADV is not installed: cannot find %s", manifests[0]);
    mb_err_hint(err, "on Debian and Ubuntu: apt install mesa-vulkan-drivers");
    return status;
}
