/* Preloaded by scripts/test.sh: llvmpipe's kernels are to be compiled soon, not to be fast.
 * LLVM's passes over its own code stay, and instructions are chosen as by -O0: a quarter to a
 * third less time in all where a test compiles much, as small images are soon made. Mesa has a
 * switch of the sort, GALLIVM_PERF=nopt, which leaves out the passes as well and is slower with
 * wide vectors.
 *
 * It stands in for what the driver calls once for each module (LLVM's ExecutionEngine.h). Other
 * drivers, and other ways into LLVM, are not touched. */
#include <dlfcn.h>
#include <stddef.h>

/* As the compiler of C++ names it. */
#define CREATE "_ZN4llvm13EngineBuilder6createEPNS_13TargetMachineE"

void *create_engine(void *builder, void *machine) __asm__(CREATE);
void *create_engine(void *builder, void *machine)
{
    /* TargetMachine::setOptLevel() of an enumeration that LLVM 18 renamed. */
    static const char *const setters[] = {
        "_ZN4llvm13TargetMachine11setOptLevelENS_10CodeGenOpt5LevelE",
        "_ZN4llvm13TargetMachine11setOptLevelENS_15CodeGenOptLevelE",
    };
    Dl_info caller = {0};
    dladdr(__builtin_return_address(0), &caller);
    void *driver = dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    void *(*create)(void *, void *) = NULL;
    *(void **)&create = dlsym(driver, CREATE);
    for (size_t i = 0; i < sizeof setters / sizeof *setters; i++) {
        void (*set_level)(void *, int) = NULL;
        *(void **)&set_level = dlsym(driver, setters[i]);
        if (set_level && machine) {
            set_level(machine, 0);
        }
    }
    return create(builder, machine);
}
