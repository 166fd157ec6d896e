/* The program's only C++. Neither its types nor its exceptions leave this file. */
#include "kernel/compile/glsl.h"

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
    explicit Includer(const mb_glsl &owner) : glsl(owner)
    {
    }

    IncludeResult *includeLocal(const char *name, const char *, size_t depth) override
    {
        mb_glsl_text file = {};
        const bool is_open = glsl.include(glsl.user, name, depth, &file);
        return new IncludeResult(is_open ? file.path : "", file.text, file.n_bytes, nullptr);
    }

    /* For <name>, and once more for a "name" that was refused. */
    IncludeResult *includeSystem(const char *name, const char *includer, size_t depth) override
    {
        return includeLocal(name, includer, depth);
    }

    void releaseInclude(IncludeResult *result) override
    {
        delete result;
    }

  private:
    const mb_glsl &glsl;
};

void set_up(const mb_glsl &glsl, glslang::TShader &shader)
{
    static const struct {
        glslang::EShTargetClientVersion vulkan;
        glslang::EShTargetLanguageVersion spirv;
    } targets[] = {{glslang::EShTargetVulkan_1_0, glslang::EShTargetSpv_1_0},
                   {glslang::EShTargetVulkan_1_1, glslang::EShTargetSpv_1_3},
                   {glslang::EShTargetVulkan_1_2, glslang::EShTargetSpv_1_5},
                   {glslang::EShTargetVulkan_1_3, glslang::EShTargetSpv_1_6}};
    shader.setEnvInput(glsl.entry ? glslang::EShSourceHlsl : glslang::EShSourceGlsl,
                       EShLangCompute, glslang::EShClientVulkan, 100);
    shader.setEnvClient(glslang::EShClientVulkan, targets[glsl.vulkan_minor].vulkan);
    shader.setEnvTarget(glslang::EShTargetSpv, targets[glsl.vulkan_minor].spirv);
    shader.setPreamble(glsl.preamble);
    if (glsl.entry) {
        shader.setEntryPoint(glsl.entry);
        shader.setShiftBinding(glslang::EResTexture, glsl.register_shift);
        shader.setShiftBinding(glslang::EResSampler, 2 * glsl.register_shift);
        shader.setShiftBinding(glslang::EResUav, 3 * glsl.register_shift);
        shader.setShiftBinding(glslang::EResImage, 3 * glsl.register_shift);
    }
}

void compile(const mb_glsl &glsl)
{
    static const bool is_ready = glslang::InitializeProcess();
    const int n_bytes = static_cast<int>(glsl.source.n_bytes);
    const EShMessages rules = static_cast<EShMessages>(
        EShMsgSpvRules | EShMsgVulkanRules | (glsl.entry ? EShMsgReadHlsl : EShMsgDefault));
    Includer includer(glsl);
    glslang::TShader shader(EShLangCompute);
    glslang::TProgram program; /* ends before its shader */
    glslang::SpvOptions options;
    std::vector<unsigned int> code;
    set_up(glsl, shader);
    shader.setStringsWithLengthsAndNames(&glsl.source.text, &n_bytes, &glsl.source.path, 1);
    program.addShader(&shader);
    options.disableOptimizer = false; /* HLSL is legal SPIR-V only after it */
    if (is_ready && shader.parse(GetDefaultResources(), 100, false, rules, includer) &&
        program.link(rules) && program.mapIO()) {
        glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), code, &options);
    }
    const std::string messages = std::string(shader.getInfoLog()) + program.getInfoLog();
    glsl.take(glsl.user, code.empty() ? nullptr : code.data(), code.size() * sizeof code[0],
              messages.c_str());
}

} // namespace

void mb_glsl_compile(const struct mb_glsl *glsl)
{
    try {
        compile(*glsl);
    } catch (...) {
        glsl->take(glsl->user, nullptr, 0, "ERROR: out of memory");
    }
}
