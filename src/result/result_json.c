/* results.json: the whole run as one documented tree (results/schema.json), written and read by
 * the same code. Each fact stands in one place; a figure that is not known is null, never made
 * up. */
#include "result/result_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/os.h"
#include "base/text.h"
#include "base/version.h"
#include "result/case_json.h"
#include "vk/shader.h"

#define SCHEMA_VERSION "2.0.0"
#define KNOWN_MAJOR    2
#define MAX_GRANULE_NS 1e9 /* a longer step would widen margins without limit */

/* Add the Vulkan layers that were requested. They sit between the program and the driver. */
static void add_layers(struct mb_json *json, struct cJSON *parent, bool validate)
{
    static const char *const variables[] = {"VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE"};
    struct cJSON *list = mb_json_array(json, parent, "layers");
    if (validate) {
        mb_json_string(json, list, NULL, "VK_LAYER_KHRONOS_validation");
    }
    for (size_t i = 0; i < MB_COUNTOF(variables); i++) {
        const char *value = getenv(variables[i]);
        if (value && value[0] != '\0') {
            mb_json_string(json, list, NULL, value);
        }
    }
}

/* Add the run's manifests with their text, so that the run can be repeated from its results. */
static void add_kernels(struct mb_json *json, struct cJSON *parent, const struct mb_run *run)
{
    struct cJSON *list = mb_json_array(json, parent, "kernels");
    const struct mb_strategy *const *table = run->table;
    for (size_t i = 0; table && table[i]; i++) {
        if (table[i]->file) {
            struct cJSON *node = mb_json_object(json, list, NULL);
            mb_json_string(json, node, "strategy", table[i]->name);
            mb_json_string(json, node, "path", table[i]->file->path);
            mb_json_string(json, node, "sha256", table[i]->file->sha256);
            mb_json_string(json, node, "text", table[i]->file->text);
            struct cJSON *modules = mb_json_object(json, node, "modules");
            for (size_t k = 0; k < table[i]->file->n_shaders; k++) {
                const struct mb_shader *shader = table[i]->file->shaders[k];
                const struct mb_text name =
                    mb_text("%s%s%s", shader->name, shader->flags[0] ? " " : "", shader->flags);
                mb_json_string(json, modules, name.s, shader->sha256);
            }
        }
    }
}

/* Add the command line, kernels and layers. Only writes: read_argv() and read_kernels() read
 * the members that are needed. */
static void add_command(struct mb_json *json, struct cJSON *node, const struct mb_run *run)
{
    struct cJSON *argv = mb_json_array(json, node, "argv");
    for (int i = 0; i < run->argc; i++) {
        mb_json_string(json, argv, NULL, run->argv[i]);
    }
    add_kernels(json, node, run);
    add_layers(json, node, run->validate);
}

static void run_fields(struct mb_node root, struct mb_run *run)
{
    const struct mb_node node = mb_field_object(root, "run");
    mb_field_text(node, "id", run->id, sizeof run->id);
    mb_field_text(node, "utc", run->utc, sizeof run->utc);
    if (!node.reader) {
        add_command(node.json, node.out, run);
    }
    mb_field_text_if(node, "folder", run->folder, sizeof run->folder);
    mb_field_u64(node, "seed", &run->seed);
    mb_field_bool(node, "verify", &run->verify);
    mb_field_bool(node, "validate", &run->validate);
    mb_field_bool(node, "complete", &run->complete);
    mb_field_static(node, "exit_reason", &run->exit_reason);
    const struct mb_node tool = mb_field_object(node, "tool");
    if (!node.reader && !run->tool.version) {
        run->tool = (struct mb_tool){MB_VERSION, MB_GIT_SHA, MB_BUILD_TYPE, MB_COMPILER};
    }
    mb_field_static(tool, "version", &run->tool.version);
    mb_field_static(tool, "git_sha", &run->tool.git_sha);
    mb_field_static(tool, "build_type", &run->tool.build_type);
    mb_field_static(tool, "compiler", &run->tool.compiler);
}

static void host_fields(struct mb_node root, struct mb_host_info *host)
{
    const struct mb_node node = mb_field_object(root, "host");
    mb_field_text(node, "os", host->os, sizeof host->os);
    mb_field_text(node, "kernel", host->kernel, sizeof host->kernel);
    mb_field_text(node, "cpu", host->cpu, sizeof host->cpu);
    mb_field_u32(node, "cores", &host->n_cores);
}

static void heap_fields(struct mb_node node, VkPhysicalDeviceMemoryProperties *memory)
{
    struct mb_list heaps = mb_field_list(node, "heaps");
    memory->memoryHeapCount =
        (uint32_t)mb_list_length(&heaps, memory->memoryHeapCount, VK_MAX_MEMORY_HEAPS);
    for (uint32_t i = 0; i < memory->memoryHeapCount; i++) {
        const struct mb_node heap = mb_list_object(&heaps);
        VkMemoryHeap *of = &memory->memoryHeaps[i];
        bool is_local = (of->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
        mb_field_u64(heap, "size_bytes", &of->size);
        mb_field_bool(heap, "device_local", &is_local);
        of->flags = is_local ? VK_MEMORY_HEAP_DEVICE_LOCAL_BIT : 0;
    }
}

static void api_field(struct mb_node node, uint32_t *version)
{
    char api[48];
    unsigned major = 0, minor = 0, patch = 0;
    snprintf(api, sizeof api, "%u.%u.%u", VK_API_VERSION_MAJOR(*version),
             VK_API_VERSION_MINOR(*version), VK_API_VERSION_PATCH(*version));
    mb_field_text(node, "api", api, sizeof api);
    if (sscanf(api, "%3u.%4u.%4u", &major, &minor, &patch) == 3) {
        *version = VK_MAKE_API_VERSION(0, major, minor, patch);
    }
}

struct mb_text mb_device_driver(const struct cJSON *device)
{
    const struct cJSON *driver = mb_json_get(device, "driver");
    const char *info = mb_json_read_string(driver, "info");
    return mb_text("%s %s", mb_json_read_string(driver, "name"),
                   info && info[0] ? info : mb_json_read_string(driver, "version"));
}

void mb_device_fields(struct mb_node node, struct mb_gpu_info *device)
{
    const char *types[VK_PHYSICAL_DEVICE_TYPE_CPU + 1];
    for (unsigned i = 0; i < MB_COUNTOF(types); i++) {
        types[i] = mb_gpu_type_name((VkPhysicalDeviceType)i);
    }
    const unsigned type = device->type < MB_COUNTOF(types) ? device->type : 0;
    mb_field_text(node, "name", device->name, sizeof device->name);
    device->type = (VkPhysicalDeviceType)mb_field_word(node, "type", types, MB_COUNTOF(types),
                                                       type, VK_PHYSICAL_DEVICE_TYPE_OTHER);
    mb_field_u32(node, "vendor_id", &device->vendor_id);
    mb_field_u32(node, "device_id", &device->device_id);
    mb_field_text(node, "uuid", device->uuid, sizeof device->uuid);
    const struct mb_node driver = mb_field_object(node, "driver");
    mb_field_text(driver, "name", device->driver_name, sizeof device->driver_name);
    mb_field_text(driver, "info", device->driver_info, sizeof device->driver_info);
    mb_field_text(driver, "version", device->driver_version, sizeof device->driver_version);
    api_field(node, &device->api_version);
    mb_field_u32(node, "subgroup_size", &device->subgroup_size);
    mb_field_u32(node, "queue_family", &device->queue_family);
    heap_fields(node, &device->memory);
}

static void timer_fields(struct mb_node root, struct mb_run *run)
{
    const struct mb_node node = mb_field_object(root, "timer");
    struct mb_timer_marks *timer = &run->timer;
    const char *source = "timestamp_query";
    mb_field_static(node, "source", &source);
    mb_field_number(node, "period_ns", &run->device.timestamp_period_ns);
    mb_field_u32(node, "valid_bits", &run->device.timestamp_valid_bits);
    mb_field_number(node, "granularity_ns", &timer->granularity_ns);
    mb_field_number(node, "granularity_gcd_ns", &timer->granularity_gcd_ns);
    mb_field_limit(node, &timer->granularity_gcd_ns, 0, MAX_GRANULE_NS);
    mb_field_number(node, "empty_pair_ns", &timer->empty_pair_ns);
    mb_field_number(node, "probe_ns", &run->probe_ns);
}

void mb_head_fields(struct mb_node root, struct mb_run *run)
{
    run_fields(root, run);
    host_fields(root, &run->host);
    mb_device_fields(mb_field_object(root, "device"), &run->device);
    timer_fields(root, run);
}

static void add_shaders(struct mb_json *json)
{
    struct cJSON *node = mb_json_object(json, json->root, "shaders");
    for (size_t i = 0; mb_shaders[i] != NULL; i++) {
        mb_json_string(json, node, mb_shaders[i]->name, mb_shaders[i]->sha256);
    }
}

static void roofline_fields(struct mb_node root, struct mb_roofline *roofline)
{
    const struct mb_node node = mb_field_object(root, "roofline");
    mb_field_number(node, "ceiling_gbps", &roofline->ceiling_gbps);
    mb_field_number(node, "null_dispatch_ns", &roofline->null_dispatch_ns);
    mb_field_number(node, "null_barrier_ns", &roofline->null_barrier_ns);
    mb_field_u64(node, "llc_bytes", &roofline->llc_bytes);
    mb_field_static(node, "llc_source", &roofline->llc_source);
}

static void add_cases(struct mb_node root, struct mb_run *run)
{
    struct mb_list list = mb_field_list(root, "cases");
    for (size_t i = 0; i < (root.reader ? list.n : run->n_cases); i++) {
        struct mb_case *c = root.reader ? mb_run_add_case(run) : run->cases[i];
        if (!c) {
            root.reader->failed = true;
            return;
        }
        mb_case_fields(mb_list_object(&list), run, c);
    }
}

/* Write or read all members except the schema. */
static void root_fields(struct mb_node root, struct mb_run *run)
{
    mb_head_fields(root, run);
    if (!root.reader) {
        add_shaders(root.json);
    }
    roofline_fields(root, &run->roofline);
    add_cases(root, run);
}

void mb_run_json(const struct mb_run *run, struct mb_strbuf *out)
{
    struct mb_run own = *run;
    MB_SCOPED(mb_json) json;
    mb_json_init(&json);
    mb_json_schema(&json, "mipbench", SCHEMA_VERSION);
    root_fields(mb_node_write(&json, json.root), &own);
    mb_json_print(&json, out);
}

static enum mb_status check_schema(struct mb_run *run, const struct cJSON *root,
                                   struct mb_err *err)
{
    const struct cJSON *schema = mb_json_get(root, "schema");
    const char *name = mb_json_read_string(schema, "name");
    const char *version = mb_json_read_string(schema, "version");
    unsigned major = 0;
    MB_FAIL_IF(name == NULL || strcmp(name, "mipbench") != 0, err, MB_ERRC_INPUT,
               "%s: not a mipbench result", run->path);
    version = version ? version : "";
    MB_FAIL_IF(sscanf(version, "%3u.", &major) != 1 || major != KNOWN_MAJOR, err, MB_ERRC_INPUT,
               "%s: schema version '%.20s': this mipbench reads %d.x", run->path, version,
               KNOWN_MAJOR);
    return MB_OK;
}

static enum mb_status read_argv(struct mb_run *run, const struct cJSON *node,
                                struct mb_err *err)
{
    for (const struct cJSON *arg = mb_json_elements(node, "argv"); arg; arg = arg->next) {
        const char *text = mb_json_read_string(arg, NULL);
        MB_FAIL_IF(text == NULL, err, MB_ERRC_INPUT, "%s: run.argv[%zu] is not a string",
                   run->path, run->command.n);
        MB_DO(mb_strlist_add(&run->command, err, "%s", text));
    }
    run->argc = (int)run->command.n;
    run->argv = (const char *const *)run->command.items;
    return MB_OK;
}

static enum mb_status read_kernels(struct mb_run *run, const struct cJSON *node,
                                   struct mb_err *err)
{
    for (const struct cJSON *kernel = mb_json_elements(node, "kernels"); kernel;
         kernel = kernel->next) {
        const char *name = mb_json_read_string(kernel, "strategy");
        const char *sha256 = mb_json_read_string(kernel, "sha256");
        if (name && sha256) {
            MB_DO(mb_strlist_add(&run->kernels, err, "%.40s %.64s", name, sha256));
        }
        for (const struct cJSON *module = mb_json_members(kernel, "modules"); module;
             module = module->next) {
            const char *digest = mb_json_read_string(module, NULL);
            if (digest) {
                MB_DO(mb_strlist_add(&run->kernels, err, "%.*s %.64s", MB_MODULE_NAME_BYTES,
                                     module->string, digest));
            }
        }
    }
    return MB_OK;
}

static enum mb_status read_root(struct mb_run *run, const struct cJSON *root,
                                struct mb_err *err)
{
    struct mb_field_reader reader = {.texts = &run->texts};
    MB_DO(check_schema(run, root, err));
    MB_DO(read_kernels(run, mb_json_get(root, "run"), err));
    MB_DO(read_argv(run, mb_json_get(root, "run"), err));
    MB_FAIL_IF(!cJSON_IsArray(mb_json_get(root, "cases")), err, MB_ERRC_INPUT,
               "%s: it has no cases", run->path);
    root_fields((struct mb_node){.reader = &reader, .in = root}, run);
    MB_FAIL_IF(reader.why[0] != '\0', err, MB_ERRC_INPUT, "%s: %s", run->path, reader.why);
    return MB_NEED(!reader.failed, run->path);
}

enum mb_status mb_run_parse(const char *path, const char *text, struct mb_run *run,
                            struct mb_err *err)
{
    enum mb_status status;
    MB_SCOPED(mb_json) json = {0};
    struct mb_err why = {0};
    *run = (struct mb_run){.path = mb_strdup(path)};
    MB_TRY(MB_NEED(run->path, path));
    mb_sha256_hex(text, strlen(text), run->sha256);
    if (mb_json_parse(&json, text, &why) != MB_OK) {
        status = MB_FAIL(err, why.code, "%s: %s", path, why.text);
        goto fail;
    }
    MB_TRY(read_root(run, json.root, err));
    return MB_OK;
fail:
    mb_run_finish(run);
    return status;
}

enum mb_status mb_run_read(const char *path, struct mb_run *run, struct mb_err *err)
{
    MB_SCOPED(mb_bytes) bytes = {0};
    *run = (struct mb_run){0};
    MB_DO(mb_file_read(path, MB_RESULT_FILE_MAX_BYTES, &bytes, err));
    MB_FAIL_IF(memchr(bytes.data, '\0', bytes.n_bytes) != NULL, err, MB_ERRC_INPUT,
               "%s: not JSON: it contains a zero byte", path);
    return mb_run_parse(path, (const char *)bytes.data, run, err);
}

enum mb_status mb_runs_read(const char *const *paths, size_t n, struct mb_run **runs,
                            struct mb_err *err)
{
    enum mb_status status = MB_OK;
    size_t n_read = 0;
    *runs = mb_alloc(n, sizeof **runs);
    MB_TRY(MB_NEED(*runs, "result files"));
    for (; n_read < n; n_read++) {
        MB_TRY(mb_run_read(paths[n_read], &(*runs)[n_read], err));
    }
    return MB_OK;
fail:
    mb_runs_finish(*runs, n_read);
    *runs = NULL;
    return status;
}

void mb_runs_finish(struct mb_run *runs, size_t n)
{
    for (size_t i = 0; runs && i < n; i++) {
        mb_run_finish(&runs[i]);
    }
    mb_free(runs);
}
