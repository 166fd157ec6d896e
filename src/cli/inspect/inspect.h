/* `mipbench inspect`: shows what each variant's kernels compile to, for each format and size,
 * as a table or as JSON. Nothing is executed. */
#pragma once

#include "base/json.h"
#include "base/strbuf.h"
#include "cli/options/options.h"
#include "cli/run_table.h"
#include "result/result.h"

/* Figures that each driver reports under names of its own. */
enum mb_figure {
    MB_FIGURE_SUBGROUP_SIZE,
    MB_FIGURE_REGISTERS,        /* per invocation; vector registers if there are two kinds */
    MB_FIGURE_SCALAR_REGISTERS, /* per subgroup */
    MB_FIGURE_SPILLS, /* spilled registers or spill instructions, vector plus scalar */
    MB_FIGURE_SCRATCH_BYTES,
    MB_FIGURE_SHARED_BYTES, /* per workgroup */
    MB_FIGURE_OCCUPANCY,    /* most subgroups that a unit (AMD: a SIMD) holds at a time */
    MB_FIGURE_INSTRUCTIONS,
    MB_FIGURE_CODE_BYTES,
    MB_N_FIGURES,
};

/* Get the figures of one executable; NaN if the driver does not report a figure. */
void mb_figures(const struct mb_pipeline_facts *facts, size_t executable,
                double figures[MB_N_FIGURES]);

/* Append a table for each format and size, from the JSON. */
void mb_inspect_text(struct mb_strbuf *out, const struct mb_json *json,
                     const struct mb_table_style *style);

/* Compile and print what the options ask for. MB_ERRC_UNSUPPORTED if a variant asked for by
 * name is refused, or all variants are; MB_ERRC_RUNTIME if a driver failed. */
MB_MUST_CHECK enum mb_status mb_inspect_run(const struct mb_options *options,
                                            struct mb_err *err);
