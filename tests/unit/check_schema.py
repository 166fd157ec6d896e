#!/usr/bin/python3
"""Hold the reports of test_report's made-up run to results/schema.json and to their shapes.

usage: check_schema.py TEST_REPORT SCHEMA
Exit 77 (skipped) without python3-jsonschema.
"""
import copy
import csv
import io
import json
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)


def report(program, kind):
    done = subprocess.run([program, kind], check=True, stdout=subprocess.PIPE)
    text = done.stdout.decode("utf-8")  # strict: raises on invalid UTF-8
    assert text.endswith("\n")
    return text


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def unique_keys(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key occurs twice in {keys}"
    return dict(pairs)


def check_measured(run):
    cell, = run["cells"]
    spd, sampler, *_ = run["results"]
    assert spd["cell"] == cell["id"] == "my-photo-1_300x200_rgba8_avg/hot-throughput"
    assert (cell["images"], cell["bound_by"], cell["stopped_by"]) == (3, "memory", "noise")
    assert cell["blocks"] == {
        "start_ns": [1000 * i for i in range(8)], "probe_before_ns": [100e3] * 8,
        "probe_after_ns": [110e3 if i == 2 else 100e3 for i in range(8)], "flagged": [2],
        "repeated": [2],
        "columns": [{"of": "spd", "kind": "result"}, {"of": None, "kind": "result"},
                    {"of": None, "kind": "result"}, {"of": "spd", "kind": "aa_control"},
                    {"of": "spd", "kind": "null_twin"}],
        "positions": [[(i + k) % 5 for k in range(5)] for i in range(8)],
        "durations_ns": [[1000 * i + k + 0.3 for k in range(5)] for i in range(8)],
        "parts_ns": [[[10, 20, 30]] * 5] * 8}
    assert cell["clock_steady"] is True
    assert cell["aa_control"]["of"] == "spd" and cell["aa_control"]["ratio"] == 1.02
    assert abs(cell["aa_control"]["margin"] - 0.02) < 1e-9
    assert cell["aa_control"]["samples_ns"] == [1000 * i + 3 + 1 / 3 for i in range(8) if i != 2]
    assert [b["gbps"] for b in cell["bandwidth"]] == [4300]
    assert spd["sample_positions"] == [i % 5 for i in range(8) if i != 2]
    assert spd["repeated_ns"] == [2000 + 1 / 3]
    assert spd["batch"] == {"chains": [4, 8, 16], "fixed_ns": 7, "parts_ns": [[10, 20, 30]] * 7}
    assert sampler["batch"] is None and sampler["sample_positions"] == []
    assert spd["null_twin"]["n"] == 7 and sampler["null_twin"]["n"] == 0
    assert spd["steps_cache"] == "hot"
    assert spd["steps"] == [{"first_level": 1, "levels": 2, "median_ns": 11, "gap_ns": 0}]
    assert abs(spd["sol"]["fraction"] - 500.05 / spd["stats"]["median_ns"]) < 1e-12
    assert spd["setup_ms"] == 1.5 and sampler["setup_ms"] is None
    roofline = run["roofline"]
    assert (roofline["ceiling_gbps"], roofline["llc_source"]) == (4300, "measured")
    assert len(roofline["large"]) == 1 and len(roofline["read_sweep"]) == 1
    comparison, = run["comparisons"]
    assert comparison["a"] == spd["id"] and comparison["b"] == sampler["id"]
    assert (comparison["ratio"], comparison["verdict"]) == (1.5, "SLOWER")


def check_values(run):
    assert run["run"]["seed"] == str(2**64 - 1)
    assert run["run"]["argv"] == ["mipbench", "a?b?[2J?.png", "café", '"q",\\']
    assert run["run"]["folder"] == "/a/b"
    assert run["run"]["complete"] is False and run["run"]["exit_reason"] == "interrupted"
    assert run["device"]["heaps"] == [{"size_bytes": str(2**64 - 1), "device_local": True}]
    assert run["device"]["api"] == "1.3.239" and run["host"]["os"] == "O?"
    assert run["timer"]["granularity_ns"] is None and run["timer"]["empty_pair_ns"] == 670.5
    assert list(run["shaders"]) == ["spd/spd.comp"]
    spd, sampler, failed, skipped, lost = run["results"]
    assert spd["id"] == "my-photo-1_300x200_rgba8_avg/spd/hot-throughput"
    check_measured(run)
    assert spd["params"] == {"load": "texel", "wave": "on"}
    assert (spd["reduce"], spd["filter"], spd["alpha"]) == ("avg", "box", "straight")
    assert (spd["shape"], spd["rect"], spd["rects"]) == ("2d", None, None)
    assert sampler["params"] == {"load": "sampler", "wave": "off"}
    assert failed["params"] == {}
    assert spd["samples_ns"] == [1000.1 + i / 3 for i in range(7)]
    assert spd["stats"]["median_ns"] == 1000.1 + 3 / 3
    assert abs(spd["stats"]["median_ci_level"] - 0.984375) < 1e-9
    assert spd["relative"] == {"ratio": 1, "ci": [1, 1], "p_adjusted": None, "verdict": "SAME",
                               "to": "spd"}
    assert sampler["relative"] == {"ratio": 1.5, "ci": [1.4, 1.6], "p_adjusted": 0.002,
                                   "verdict": "SLOWER", "to": "spd"}
    assert spd["bytes"]["algorithmic"] == str(2**60)
    assert spd["work"]["workgroup_size"] == [256, 1, 1]
    levels = spd["verify"]["levels"]
    assert [(v["width"], v["height"]) for v in levels] == [
        (max(1, 300 >> i), max(1, 200 >> i)) for i in range(9)]
    assert levels[0]["psnr_db"] is None and levels[1]["psnr_db"] == 51.7
    assert spd["verify"]["policy"] == "floor" and len(spd["warnings"]) == 8
    assert spd["images"] == ["photo/spd/atlas.png"]
    assert spd["chains"] == ["photo/spd/chain.ktx2"] and sampler["chains"] == []
    assert sampler["verify"]["max_error_lsb"] is None and sampler["verify"]["levels"] == []
    bad = failed["verify"]["first_bad"]
    assert (bad["level"], bad["x"], bad["y"], bad["channel"]) == (3, 5, 7, 1)
    assert bad["want"] == 1 and bad["got"] is None
    assert failed["verify"]["max_error_lsb"] is None
    for result in (skipped, lost):
        assert result["work"] is None and result["bytes"]["algorithmic"] is None
        assert result["stats"]["n"] == 0 and result["stats"]["median_ns"] is None
        assert result["verify"]["policy"] is None and result["reason"]
    assert skipped["reason"].endswith("| here?")


def check_schema_is_strict(validator, run):
    """Each change to a good document must be refused."""
    changes = [
        lambda r: r.pop("timer"),
        lambda r: r.update(extra=1),
        lambda r: r["run"].update(seed=-1),
        lambda r: r["run"].update(exit_reason="because"),
        lambda r: r["schema"].update(version="2.0.0"),
        lambda r: r["device"].update(uuid="x"),
        lambda r: r["shaders"].update(bad="x"),
        lambda r: r["results"][0].pop("stats"),
        lambda r: r["results"][0].update(status="good"),
        lambda r: r["results"][0].update(reason="ok, but"),
        lambda r: r["results"][0].update(width=0),
        lambda r: r["results"][0].update(cache="warm"),
        lambda r: r["results"][0]["stats"].update(median_ns="1"),
        lambda r: r["results"][0]["stats"].update(median_ci_ns=[1]),
        lambda r: r["results"][0]["verify"].update(status="fail"),
        lambda r: r["results"][0]["verify"]["levels"][0].pop("box_lsb"),
        lambda r: r["results"][0]["verify"].update(levels=[]),
        lambda r: r["results"][0]["verify"].update(policy=None),
        lambda r: r["results"][3].update(samples_ns=[1]),
        lambda r: r["results"][3].update(reason=""),
        lambda r: r["results"][0].update(chains=["photo/spd/chain.png"]),
        lambda r: r["results"][0].update(alpha="none"),
        lambda r: r["results"][0].update(shape="3d"),
        lambda r: r["results"][0].update(rect={"x": 0, "y": 0, "width": 0, "height": 1}),
        lambda r: r["results"][0].update(rects=[]),
        lambda r: r["results"][0].update(rects={"x": 0, "y": 0, "width": 1, "height": 1}),
        lambda r: r["results"][0].update(rects=[{"x": 0, "y": 0, "width": 1, "height": 0}]),
    ]
    for i, change in enumerate(changes):
        wrong = copy.deepcopy(run)
        change(wrong)
        assert not validator.is_valid(wrong), f"change {i} was not refused"


def check_skipped_condition(validator, run):
    """What is below resolution is skipped, but was verified and has its files."""
    below = copy.deepcopy(run)
    below["results"][0].update(status="skipped", reason="below resolution", samples_ns=[])
    assert below["results"][0]["verify"]["status"] == "pass" and validator.is_valid(below)
    below["results"][0]["verify"]["status"] = "fail"
    assert not validator.is_valid(below)


def check_csv(text, run):
    rows = list(csv.DictReader(io.StringIO(text), strict=True))
    assert len(rows) == len(run["results"])
    for row, result in zip(rows, run["results"]):
        assert None not in row and None not in row.values(), "fields and columns differ"
        assert row["input"] == result["input"] and row["reason"] == result["reason"]
        assert row["status"] == result["status"] and row["verify"] == result["verify"]["status"]
        for key in ("n", "min_ns", "median_ns", "p95_ns", "mad_ns"):
            want = result["stats"][key]
            assert row[key] == "" if want is None else float(row[key]) == want
        assert int(row["compulsory_bytes"]) == result["bytes"]["compulsory"]
    assert "inf" not in text and "nan" not in text  # a reason has "NaN"
    assert rows[0]["algorithmic_bytes"] == str(2**60) and rows[3]["algorithmic_bytes"] == ""
    assert rows[0]["box_lsb"] == "0" and rows[3]["box_lsb"] == ""


def check_markdown(text):
    lines = text.splitlines()
    assert lines[0].startswith("mipbench ") and "G€\\*PU" in lines[0] and "Vulkan 1.3" in lines[0]
    assert "Incomplete: interrupted." in lines
    assert any(line.startswith('### my, "photo" \\[1\\].png 300x200 rgba8, 9 levels')
               for line in lines)
    assert text.endswith(" |\n\na\\_b is fastest.\n\n- spd: by level: 1,\n  2 \\<b\\>\n"
                         "- note: \\|\n"), text[-200:]
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 2 + 5
    for line in table:
        assert line.replace("\\|", "").count("|") == 10, line
    assert table[2].startswith("| **spd** | 1.001 us | 1.000 - 1.002 |") and "| exact |" in table[2]
    assert "| not checked |" in table[3]
    assert "| 3.003 s |" in table[4]
    assert "FAILED: level 3" in table[4]
    assert "| vs box |" in table[0] and "| 0 LSB (floor) |" in table[2] and "| - |" in table[3]
    assert "Software device: its times do not predict those of a GPU." in lines
    assert "skipped: no" in table[5] and "\\<b\\>" in table[5] and "<b>" not in table[5]


def check_update(run, row, markdown):
    """The same run as an update of two cubes, by alpha, and a maximum."""
    result = run["results"][0]
    assert result["id"] == ("my-photo-1_300x200_r16f_max_premultiplied_2-cubes_rect-1-2-30-4"
                            "/spd/hot-throughput"), result["id"]
    assert (result["reduce"], result["alpha"], result["format"]) == ("max", "premultiplied", "r16f")
    assert (result["shape"], result["layers"]) == ("cube", 12)
    assert result["rect"] == {"x": 1, "y": 2, "width": 30, "height": 4}
    assert result["rects"] == [result["rect"]] and row["rects"] == "1,2,30,4"
    assert run["results"][0]["id"].startswith(run["results"][1]["id"].split("/")[0])
    assert [row[f"rect_{key}"] for key in ("x", "y", "width", "height")] == ["1", "2", "30", "4"]
    assert (row["reduce"], row["alpha"], row["shape"]) == ("max", "premultiplied", "cube")
    assert ("300x200 r16f, 9 levels, box max, alpha premultiplied, 2 cubes, update of 30x4 at "
            "1,2, hot, throughput\n") in markdown


def check_updates(run, row, markdown):
    """The same of two rectangles: those that know only `rect` find what holds both."""
    result = run["results"][0]
    assert "_2-cubes_2-rects-1-2-119-43/" in result["id"], result["id"]
    assert result["rect"] == {"x": 1, "y": 2, "width": 119, "height": 43}
    assert result["rects"] == [{"x": 1, "y": 2, "width": 30, "height": 4},
                               {"x": 20, "y": 5, "width": 100, "height": 40}]
    assert row["rects"] == "1,2,30,4 20,5,100,40"
    assert [row[f"rect_{key}"] for key in ("x", "y", "width", "height")] == ["1", "2", "119", "43"]
    assert "2 cubes, update of 2 rectangles within 119x43 at 1,2, hot, throughput\n" in markdown


def check_task(program, validator, name, check):
    run = json.loads(report(program, f"json-{name}"))
    assert validator.is_valid(run)
    check(run, next(csv.DictReader(io.StringIO(report(program, f"csv-{name}")))),
          report(program, f"markdown-{name}"))


def main():
    program, schema_path = sys.argv[1:]
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    run = json.loads(report(program, "json"), parse_constant=no_constant,
                     object_pairs_hook=unique_keys)
    errors = [f"{list(e.absolute_path)}: {e.message}" for e in validator.iter_errors(run)]
    assert not errors, "\n".join(errors)
    check_values(run)
    check_schema_is_strict(validator, run)
    check_skipped_condition(validator, run)
    check_csv(report(program, "csv"), run)
    check_markdown(report(program, "markdown"))
    check_task(program, validator, "update", check_update)
    check_task(program, validator, "updates", check_updates)
    print("check_schema: JSON, CSV and Markdown are as they should be")


if __name__ == "__main__":
    main()
