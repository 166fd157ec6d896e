/* What a run leaves behind: the output folder with pictures and results.json, extra copies, and
 * the tables on the terminal. */
#pragma once

#include "bench/bench.h"
#include "cli/options/options.h"
#include "cli/picture.h"
#include "cli/run_table.h"

struct mb_output {
    const struct mb_options *options;
    char *dir; /* owned */
    struct mb_table_style style;
    bool tells; /* prints tables: in a set, only the first run does unless -v is given */
    struct mb_pictures pictures;
};

/* The style that --color, -q, -v and the width of stdout ask for. */
struct mb_table_style mb_output_style(const struct mb_options *options);

/* Check that the copies (--json, --csv, --markdown) can be written, so that no run is lost to a
 * typing error. */
MB_MUST_CHECK enum mb_status mb_output_check(const struct mb_options *options,
                                             struct mb_err *err);

/* Print and finish `text`: on stdout or, if a copy goes to stdout, on stderr. */
MB_MUST_CHECK enum mb_status
mb_output_show(struct mb_strbuf *text, const struct mb_options *options, struct mb_err *err);

/* Write a copy to a file, or to stdout if `path` is "-". */
MB_MUST_CHECK enum mb_status mb_output_write(const char *path, const struct mb_strbuf *text,
                                             struct mb_err *err);

/* Choose and create the output folder, keep other runs out of it, find python3 and the script
 * for --report, and print the head of the run. MB_ERRC_OUTPUT if any of this fails, or if a
 * file of the run cannot be written. */
MB_MUST_CHECK enum mb_status mb_output_init(struct mb_output *output,
                                            const struct mb_options *options,
                                            const struct mb_run *run, struct mb_err *err);
void mb_output_finish(struct mb_output *output);

/* After each case: print its tables with their warnings, write its contact sheet if it has one,
 * and write results.json, so that a crash loses nothing. */
MB_MUST_CHECK enum mb_status mb_output_case(struct mb_output *output, const struct mb_run *run,
                                            const struct mb_case *c, struct mb_err *err);

/* Write results.json; if the disk is full, remove pictures and texture files of the run to make
 * room. */
MB_MUST_CHECK enum mb_status mb_output_results(struct mb_output *output,
                                               const struct mb_run *run, struct mb_err *err);

/* At the end of a run: write results.json and the copies (--json, --csv, --markdown), print the
 * summary and where the results are, and make the page of --report. */
MB_MUST_CHECK enum mb_status mb_output_conclude(struct mb_output *output,
                                                const struct mb_run *run, struct mb_err *err);
