/* `mipbench inspect`: what each variant's kernels are compiled to, for each format and size, as
 * a table or as JSON. Nothing is executed. */
#pragma once

#include "base/json.h"
#include "base/strbuf.h"
#include "cli/options/options.h"
#include "cli/run_table.h"
#include "result/result.h"

/* Figures that each driver tells under its own names. */
enum mb_figure {
    MB_FIGURE_SUBGROUP_SIZE,
    MB_FIGURE_REGISTERS, /* of an invocation: vector registers where there are two kinds */
    MB_FIGURE_SCALAR_REGISTERS, /* of a subgroup */
    MB_FIGURE_SPILLS,           /* registers or instructions; vector and scalar */
    MB_FIGURE_SCRATCH_BYTES,
    MB_FIGURE_SHARED_BYTES, /* of a workgroup */
    MB_FIGURE_OCCUPANCY,    /* subgroups that a unit (AMD: a SIMD) has at a time, at most */
    MB_FIGURE_INSTRUCTIONS,
    MB_FIGURE_CODE_BYTES,
    MB_N_FIGURES,
};

/* Get the figures of one executable; NaN if the driver does not tell. */
void mb_figures(const struct mb_pipeline_facts *facts, size_t executable,
                double figures[MB_N_FIGURES]);

/* Append a table for each format and size, from the JSON. */
void mb_inspect_text(struct mb_strbuf *out, const struct mb_json *json,
                     const struct mb_table_style *style);

/* Compile and print what the options ask for. MB_ERRC_UNSUPPORTED if a variant asked for by
 * name is refused, or all variants are; MB_ERRC_RUNTIME if a driver failed. */
MB_MUST_CHECK enum mb_status mb_inspect_run(const struct mb_options *options,
                                            struct mb_err *err);
