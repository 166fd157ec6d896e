/* What `mipbench inspect` knows: what each variant's kernels are compiled to, for each format
 * and size. Nothing is executed. */
#pragma once

#include "cli/options/options.h"
#include "result/result.h"

/* One variant at one size in one format. */
struct mb_kernels {
    const struct mb_format *format;
    struct mb_extent size;
    struct mb_variant row;      /* what "auto" stands for is resolved, if it is supported */
    char label[MB_LABEL_BYTES]; /* as it was asked for */
    enum mb_result_status status;
    char reason[512];               /* "" if the status is OK */
    struct mb_pipeline_facts facts; /* owned */
};

/* By format, then size, then variant. */
struct mb_inspection {
    struct mb_gpu_info device;
    enum mb_reduce reduce;
    size_t n_rows;              /* variants at each size in each format */
    struct mb_kernels *kernels; /* owned */
    size_t n_kernels;
};

/* Compile all that the options ask for. Fails if the device cannot be opened or set up, and
 * without memory; what a strategy refuses is no failure. An interrupted one has fewer kernels.
 */
MB_MUST_CHECK enum mb_status mb_inspection_make(struct mb_inspection *inspection,
                                                const struct mb_options *options,
                                                struct mb_err *err);
void mb_inspection_finish(struct mb_inspection *inspection);

/* What drivers tell under names of their own. */
enum mb_figure {
    MB_FIGURE_REGISTERS, /* of an invocation: vector registers where there are two kinds */
    MB_FIGURE_SCALAR_REGISTERS, /* of a subgroup */
    MB_FIGURE_SPILLS,           /* registers, or instructions; of both kinds */
    MB_FIGURE_SCRATCH_BYTES,
    MB_FIGURE_SHARED_BYTES, /* of a workgroup */
    MB_FIGURE_OCCUPANCY,    /* subgroups that a unit (AMD: a SIMD) has at a time, at most */
    MB_FIGURE_INSTRUCTIONS,
    MB_FIGURE_CODE_BYTES,
    MB_N_FIGURES,
};

/* Names for JSON: "registers". */
extern const char *const mb_figure_names[MB_N_FIGURES];

/* Of one executable; NaN where the driver does not tell. */
void mb_figures(const struct mb_pipeline_facts *facts, size_t executable,
                double figures[MB_N_FIGURES]);
