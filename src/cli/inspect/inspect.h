/* `mipbench inspect`: what each variant's kernels are compiled to, for each format and size, as
 * a table or as JSON. Nothing is executed. */
#pragma once

#include "base/strbuf.h"
#include "cli/options/options.h"
#include "cli/table.h"
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

/* What drivers tell under names of their own. */
enum mb_figure {
    MB_FIGURE_SUBGROUP_SIZE,
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

/* Of one executable; NaN where the driver does not tell. */
void mb_figures(const struct mb_pipeline_facts *facts, size_t executable,
                double figures[MB_N_FIGURES]);

/* A table for each format and size; with `verbosity` all that the driver tells as well. */
void mb_inspect_text(struct mb_strbuf *out, const struct mb_inspection *inspection,
                     const struct mb_table_style *style, int verbosity);

/* Compile and print what the options ask for. MB_ERRC_UNSUPPORTED where what was asked for
 * by name is refused, or all is; MB_ERRC_RUNTIME where a driver failed. */
MB_MUST_CHECK enum mb_status mb_inspect_run(const struct mb_options *options,
                                            struct mb_err *err);
