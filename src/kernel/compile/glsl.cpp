/* The program's only C++. Neither its types nor its exceptions leave this file. */
#include "kernel/compile/compile.h"

#include <string>
#include <vector>

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

namespace
{
class Includer : public glslang::TShader::Includer
{
  public:
    explicit Includer(void *owner) : user(owner)
    {
    }

    IncludeResult *includeLocal(const char *name, const char *, size_t depth) override
    {
        mb_glsl_text file = {};
        const bool is_open = mb_glsl_include(user, name, depth, &file);
        return new IncludeResult(is_open ? file.path : "", file.text, file.n_bytes, nullptr);
    }

    /* Called for <name>, and once more for a "name" that includeLocal refused. */
    IncludeResult *includeSystem(const char *name, const char *includer, size_t depth) override
    {
        return includeLocal(name, includer, depth);
    }

    void releaseInclude(IncludeResult *result) override
    {
        delete result;
    }

  private:
    void *user;
};

void set_up(const mb_compile_options &options, bool is_hlsl, glslang::TShader &shader)
{
    static const struct {
        glslang::EShTargetClientVersion vulkan;
        glslang::EShTargetLanguageVersion spirv;
    } targets[] = {{glslang::EShTargetVulkan_1_0, glslang::EShTargetSpv_1_0},
                   {glslang::EShTargetVulkan_1_1, glslang::EShTargetSpv_1_3},
                   {glslang::EShTargetVulkan_1_2, glslang::EShTargetSpv_1_5},
                   {glslang::EShTargetVulkan_1_3, glslang::EShTargetSpv_1_6}};
    shader.setEnvInput(is_hlsl ? glslang::EShSourceHlsl : glslang::EShSourceGlsl,
                       EShLangCompute, glslang::EShClientVulkan, 100);
    shader.setEnvClient(glslang::EShClientVulkan, targets[options.vulkan_minor].vulkan);
    shader.setEnvTarget(glslang::EShTargetSpv, targets[options.vulkan_minor].spirv);
    shader.setPreamble(options.preamble);
    if (is_hlsl) {
        shader.setEntryPoint(options.entry);
        shader.setShiftBinding(glslang::EResTexture, options.register_shift);
        shader.setShiftBinding(glslang::EResSampler, 2 * options.register_shift);
        shader.setShiftBinding(glslang::EResUav, 3 * options.register_shift);
        shader.setShiftBinding(glslang::EResImage, 3 * options.register_shift);
    }
}

void compile(const mb_compile_options &options, const mb_glsl_text &source, bool is_hlsl,
             void *user)
{
    static const bool is_ready = glslang::InitializeProcess();
    const int n_bytes = static_cast<int>(source.n_bytes);
    const EShMessages rules = static_cast<EShMessages>(
        EShMsgSpvRules | EShMsgVulkanRules | (is_hlsl ? EShMsgReadHlsl : EShMsgDefault));
    Includer includer(user);
    glslang::TShader shader(EShLangCompute);
    glslang::TProgram program; /* must be destroyed before `shader` */
    glslang::SpvOptions spv;
    std::vector<unsigned int> code;
    set_up(options, is_hlsl, shader);
    shader.setStringsWithLengthsAndNames(&source.text, &n_bytes, &source.path, 1);
    program.addShader(&shader);
    spv.disableOptimizer = false; /* without it HLSL gives invalid SPIR-V */
    if (is_ready && shader.parse(GetDefaultResources(), 100, false, rules, includer) &&
        program.link(rules) && program.mapIO()) {
        glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), code, &spv);
    }
    const std::string messages = std::string(shader.getInfoLog()) + program.getInfoLog();
    mb_glsl_take(user, code.empty() ? nullptr : code.data(), code.size() * sizeof code[0],
                 messages.c_str());
}

} // namespace

void mb_glsl_compile(const struct mb_compile_options *options,
                     const struct mb_glsl_text *source, bool is_hlsl, void *user)
{
    try {
        compile(*options, *source, is_hlsl, user);
    } catch (...) {
        mb_glsl_take(user, nullptr, 0, "ERROR: out of memory");
    }
}
