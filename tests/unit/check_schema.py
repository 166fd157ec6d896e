#!/usr/bin/python3
"""Hold the reports of test_report's made-up run to results/schema.json and to their shapes.

usage: check_schema.py TEST_REPORT SCHEMA
Exit 77 (skipped) without python3-jsonschema.
"""
import copy
import csv
import io
import json
import os
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)


def report(program, kind):
    emulator = os.environ.get("MESON_EXE_WRAPPER", "").split()
    done = subprocess.run([*emulator, program, kind], check=True, stdout=subprocess.PIPE)
    text = done.stdout.decode("utf-8")  # strict: raises on invalid UTF-8
    assert text.endswith("\n")
    return text


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def unique_keys(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key occurs twice in {keys}"
    return dict(pairs)


def columns():
    """Of spd and its A/A control, as make_samples() has them."""
    for index, kind in ((0, "sample"), (3, "aa_control")):
        yield {"variant": "spd", "kind": kind, "positions": [(i + index) % 4 for i in range(8)],
               "durations_ns": [1000 * i + index + 0.3 for i in range(8)],
               "parts_ns": [[10, 20, 30]] * 8}


def check_timing(timing):
    assert (timing["images"], timing["bound_by"], timing["stopped_by"]) == (3, "memory", "noise")
    assert (timing["cache"], timing["mode"]) == ("hot", "throughput")
    assert timing["blocks"] == {
        "start_ns": [1000 * i for i in range(8)], "probe_before_ns": [100e3] * 8,
        "probe_after_ns": [110e3 if i == 2 else 100e3 for i in range(8)], "flagged": [2],
        "repeated": [2], "columns": list(columns())}
    assert timing["clock_steady"] is True
    assert timing["aa_control"] == {"variant": "spd", "ratio": 1.02, "ci": [0.99, 1.05],
                                    "margin": 0.02}
    spd, sampler, failed, skipped, lost = timing["rows"]
    assert (spd["chains"], spd["fixed_ns"]) == ([4, 8, 16], 7) and "chains" not in sampler
    assert spd["stats"]["n"] == 7 and spd["stats"]["median_ns"] == 1000.1 + 3 / 3
    assert abs(spd["stats"]["median_ci_level"] - 0.984375) < 1e-9
    assert abs(spd["of_limit"] - 500.05 / spd["stats"]["median_ns"]) < 1e-6
    assert spd["relative"] == {"ratio": 1, "ci": [1, 1], "p_adjusted": None, "verdict": "SAME"}
    assert sampler["relative"] == {"ratio": 1.5, "ci": [1.4, 1.6], "p_adjusted": 0.002,
                                   "verdict": "SLOWER"}
    for row in (skipped, lost):
        assert row["stats"] is None and row["relative"] is None and row["reason"]
    assert failed["status"] == "failed" and failed["stats"]["n"] == 7
    ranking, = timing["rankings"]
    assert ranking == {"question": "any", "winner": "spd", "fastest": "spd", "tied": [],
                       "order": ["spd", "spd_load-sampler_wave-off"],
                       "sentence": "spd is fastest, 1.50x faster than spd:load=sampler:wave=off. "
                                   "None of them is exact."}, ranking


def check_variants(variants):
    spd, sampler, failed, skipped, lost = variants
    assert spd["id"] == spd["label"] == spd["strategy"] == "spd"
    assert spd["params"] == {"load": "texel", "wave": "on"}
    assert sampler["params"] == {"load": "sampler", "wave": "off"} and failed["params"] == {}
    assert (sampler["id"], sampler["label"]) == ("spd_load-sampler_wave-off",
                                                 "spd:load=sampler:wave=off")
    assert (spd["policy"], spd["answers"], spd["answer"]) == ("floor", ["any"], "floor")
    assert spd["steps"] == [{"first_level": 1, "levels": 2, "median_ns": 11, "gap_ns": 0}]
    assert spd["setup_ms"] == 1.5 and sampler["setup_ms"] is None
    assert spd["algorithmic_bytes"] == str(2**60)
    assert spd["work"]["workgroup_size"] == [256, 1, 1]
    levels = spd["verify"]["levels"]
    assert all(len(figures) == 9 for figures in levels.values())
    assert levels["psnr_db"][:2] == [None, 51.7] and levels["max_error_lsb"][:2] == [0, 0.5]
    assert len(spd["warnings"]) == 8 and spd["images"] == ["photo/spd/atlas.png"]
    assert spd["chains"] == ["photo/spd/chain.ktx2"] and sampler["chains"] == []
    assert sampler["verify"]["max_error_lsb"] is None
    assert sampler["verify"]["levels"]["box_lsb"] == []
    bad = failed["verify"]["first_bad"]
    assert (bad["level"], bad["x"], bad["y"], bad["channel"]) == (3, 5, 7, 1)
    assert bad["want"] == 1 and bad["got"] is None
    assert failed["verify"]["max_error_lsb"] is None
    for variant in (skipped, lost):
        assert variant["work"] is None and variant["algorithmic_bytes"] is None
        assert variant["policy"] is None and variant["answers"] == [] and variant["reason"]
    assert skipped["reason"].endswith("| here?")


def check_values(run):
    assert run["run"]["seed"] == str(2**64 - 1)
    assert run["run"]["argv"] == ["mipbench", "a?b?[2J?.png", "café", '"q",\\']
    assert run["run"]["folder"] == "/a/b"
    assert run["run"]["complete"] is False and run["run"]["exit_reason"] == "interrupted"
    assert run["device"]["heaps"] == [{"size_bytes": str(2**64 - 1), "device_local": True}]
    assert run["device"]["api"] == "1.3.239" and run["host"]["os"] == "O?"
    assert run["timer"]["granularity_ns"] is None and run["timer"]["empty_pair_ns"] == 670.5
    assert list(run["shaders"]) == ["spd/spd.comp"]
    roofline = run["roofline"]
    assert (roofline["ceiling_gbps"], roofline["llc_source"]) == (4300, "measured")
    case, = run["cases"]
    assert case["id"] == "my-photo-1_300x200_rgba8_avg"
    assert (case["reduce"], case["alpha"], case["shape"]) == ("avg", "straight", "2d")
    assert case["rect"] is None
    check_variants(case["variants"])
    timing, = case["timings"]
    check_timing(timing)


def walk(node, path=()):
    yield path, node
    children = node.items() if isinstance(node, dict) else \
        enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield from walk(child, (*path, key))


def check_once(run):
    """No fact stands in two places: an array of samples occurs once, and a label is a value only
    of a variant; elsewhere stands its id. Sentences and the command line may have it."""
    labels = {node for path, node in walk(run) if path[-1:] == ("label",)}
    ids = {node for path, node in walk(run) if path[-1:] == ("id",)}
    arrays = [tuple(node) for path, node in walk(run) if path[-1:] == ("durations_ns",)]
    assert len(arrays) == len(set(arrays)) == 2
    for path, node in walk(run):
        if isinstance(node, str) and node in labels - ids:
            assert path[-1] == "label", path


def check_schema_is_strict(validator, run):
    """Each change to a good document must be refused."""
    changes = [
        lambda r: r.pop("timer"),
        lambda r: r["run"].update(seed=-1),
        lambda r: r["run"].update(exit_reason="because"),
        lambda r: r["schema"].update(version="1.5.0"),
        lambda r: r["schema"].update(version="3.0.0"),
        lambda r: r["device"].update(uuid="x"),
        lambda r: r["shaders"].update(bad="x"),
        lambda r: r["cases"][0].update(width=0),
        lambda r: r["cases"][0].update(alpha="none"),
        lambda r: r["cases"][0].update(shape="3d"),
        lambda r: r["cases"][0].update(rect=[{"x": 0, "y": 0, "width": 1, "height": 1}]),
        lambda r: r["cases"][0].update(rect={"x": 0, "y": 0, "width": 1, "height": 0}),
        lambda r: variant(r).update(status="good"),
        lambda r: variant(r).update(reason="ok, but"),
        lambda r: variant(r).update(answers=["best"]),
        lambda r: variant(r).update(policy="kernel"),
        lambda r: variant(r).update(chains=["photo/spd/chain.png"]),
        lambda r: variant(r).pop("label"),
        lambda r: variant(r)["verify"].update(status="fail"),
        lambda r: variant(r)["verify"]["levels"].pop("box_lsb"),
        lambda r: variant(r)["verify"]["levels"].update(max_error_lsb=[]),
        lambda r: variant(r, 3).update(reason=""),
        lambda r: timing(r).update(cache="warm"),
        lambda r: timing(r)["blocks"]["columns"][0].update(kind="result"),
        lambda r: timing(r)["rows"][0].pop("stats"),
        lambda r: timing(r)["rows"][0]["stats"].update(median_ns="1"),
        lambda r: timing(r)["rows"][0]["stats"].update(median_ci_ns=[1]),
        lambda r: timing(r)["rankings"][0].update(question="best"),
        lambda r: timing(r)["rankings"][0].pop("sentence"),
    ]
    for i, change in enumerate(changes):
        wrong = copy.deepcopy(run)
        change(wrong)
        assert not validator.is_valid(wrong), f"change {i} was not refused"
    more = copy.deepcopy(run)
    more.update(extra=1)
    variant(more).update(extra=1)
    assert validator.is_valid(more), "a key of a later minor version must pass"


def variant(run, index=0):
    return run["cases"][0]["variants"][index]


def timing(run):
    return run["cases"][0]["timings"][0]


def forbid_others(schema):
    """A copy that knows every key there is."""
    strict = copy.deepcopy(schema)
    for _, node in walk(strict):
        if isinstance(node, dict) and isinstance(node.get("properties"), dict) \
                and node.get("type") == "object":
            node.setdefault("additionalProperties", False)
    return strict


def check_csv(text, run):
    rows = list(csv.DictReader(io.StringIO(text), strict=True))
    case, = run["cases"]
    assert len(rows) == len(case["variants"])
    for row, variant_, figures in zip(rows, case["variants"], timing(run)["rows"]):
        assert None not in row and None not in row.values(), "fields and columns differ"
        assert row["input"] == case["input"] and row["reason"] == figures["reason"]
        assert row["status"] == figures["status"]
        assert row["verify"] == variant_["verify"]["status"]
        assert (row["policy"], row["answer"]) == (variant_["policy"] or "",
                                                  variant_["answer"] or "")
        for key in ("n", "min_ns", "median_ns", "p95_ns", "mad_ns"):
            want = figures["stats"][key] if figures["stats"] else None
            assert row[key] in ("", "0") if want is None else float(row[key]) == want
        assert int(row["compulsory_bytes"]) == case["compulsory_bytes"]
    assert "inf" not in text and "nan" not in text  # a reason has "NaN"
    assert float(rows[0]["algorithmic_bytes"]) == 2**60 and rows[3]["algorithmic_bytes"] == ""
    assert rows[0]["box_lsb"] == "0" and rows[3]["box_lsb"] == ""


def check_markdown(text):
    lines = text.splitlines()
    assert lines[0].startswith("* mipbench ") and "G€\\*PU" in lines[0] and "Vulkan 1.3" in lines[0]
    assert "* Incomplete: interrupted." in lines
    assert any(line.startswith('### my, "photo" \\[1\\].png 300x200 rgba8, 9 levels')
               for line in lines)
    assert " |\n\n* spd is fastest, 1.50x faster than spd:load=sampler" in text and text.endswith(" exact.\n")
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 2 + 5
    for line in table:
        assert line.replace("\\|", "").count("|") == 11, line
    assert table[2].startswith("| **spd** | 1.00 us | 1.00 - 1.00 |")
    assert "| floor | 0 LSB | max 0.5 LSB |" in table[2]
    assert "| not checked |" in table[3]
    assert "| 3.00 s | 3.00 - 3.01 |" in table[4]
    assert "FAIL: level 3" in table[4]
    assert "| Result |" in table[0] and "| floor | | not checked |" in table[3]
    assert "* SOFTWARE DEVICE: its times do not predict those of a GPU." in lines
    assert "skipped: no" in table[5] and "\\<b\\>" in table[5] and "<b>" not in table[5]


def check_update(run, row, markdown):
    """The same run as an update of two cubes, by alpha, and a maximum."""
    case, = run["cases"]
    assert case["id"] == ("my-photo-1_300x200_r16f_max_premultiplied_2-cubes_rect-1-2-30-4"), case
    assert (case["reduce"], case["alpha"], case["format"]) == ("max", "premultiplied", "r16f")
    assert (case["shape"], case["layers"]) == ("cube", 12)
    assert case["rect"] == {"x": 1, "y": 2, "width": 30, "height": 4}
    assert [row[f"rect_{key}"] for key in ("x", "y", "width", "height")] == ["1", "2", "30", "4"]
    assert (row["reduce"], row["alpha"], row["shape"]) == ("max", "premultiplied", "cube")
    assert ("300x200 r16f, 9 levels, max, alpha premultiplied, 2 cubes, update of 30x4 at "
            "1,2, hot, throughput\n") in markdown


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
    strict = jsonschema.Draft202012Validator(forbid_others(schema))
    errors = [f"{list(e.absolute_path)}: {e.message}" for e in strict.iter_errors(run)]
    assert not errors, "\n".join(errors)
    check_values(run)
    check_schema_is_strict(validator, run)
    check_once(run)
    check_csv(report(program, "csv"), run)
    check_markdown(report(program, "markdown"))
    check_task(program, validator, "update", check_update)
    print("check_schema: JSON, CSV and Markdown are as they should be")


if __name__ == "__main__":
    main()
