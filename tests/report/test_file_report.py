"""One page about a file: verdicts, histories or judgments, with what is wrong and left out."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from evalkit.errors import EvalkitError, FileMissingError, InputError
from evalkit.report import ReportSettings, write_file_report
from evalkit.report.numbers import method_names, percent_text
from evalkit.report.provenance import file_hash, provenance_of
from evalkit.results import Interval


def rows_file(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write rows as JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def verdicts(rates: Mapping[str, int], items: int = 40, **extra: object) -> list[dict[str, object]]:
    """Return `rates` right answers of each system, the first items right."""
    return [
        {"system": name, "item": f"q{i}", "score": int(i < right), **extra}
        for name, right in rates.items()
        for i in range(items)
    ]


def page_of(source: Path, settings: ReportSettings | None = None) -> str:
    """Write the page of a file and return its text, tags removed."""
    page = write_file_report(source, source.parent / "out" / "index.html", settings=settings)
    text = page.read_text(encoding="utf-8")
    body = text[text.index("<body>") : text.index("<script>")]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body)).replace("&#39;", "'")


def summary(source: Path, settings: ReportSettings | None = None) -> str:
    """Return the summary sentence of the page of a file."""
    page = write_file_report(source, source.parent / "out" / "index.html", settings=settings)
    found = re.search('<p class="summary">(.*?)</p>', page.read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def test_a_separated_best_system_is_named_with_its_interval(tmp_path: Path) -> None:
    """36, 20 and 4 of 40: 90 percent, separated from both others."""
    source = rows_file(tmp_path / "v.jsonl", verdicts({"a": 36, "b": 20, "c": 4}))
    # Wilson for 36 of 40: [76.95, 96.04].
    assert summary(source) == (
        "a scores highest of 3 systems, 90.0 % [76.9, 96.0], and is separated from every other."
    )
    text = page_of(source)
    assert "separated a scores above b. +40.0 [+" in text
    assert "adjusted over all 3 pairs by Holm's method" in text
    assert "Seed 0" in text


def test_what_is_not_separated_is_said_and_bold(tmp_path: Path) -> None:
    """One item apart is not separated: both are bold and share the ranks 1-2."""
    source = rows_file(tmp_path / "v.jsonl", verdicts({"a": 31, "b": 30, "c": 4}))
    assert summary(source).endswith("and is not separated from b.")
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    bold = re.findall(r"<strong>([\d.]+ \[[^<]*)</strong>", page)
    assert [cell.split()[0] for cell in bold] == ["77.5", "75.0"]
    assert page.count(">1-2<") == 2


def test_one_system_has_scores_and_no_pairs(tmp_path: Path) -> None:
    """Without a second system there is no comparison and no second figure."""
    source = rows_file(tmp_path / "v.jsonl", verdicts({"a": 30}))
    assert summary(source) == "a scores 75.0 % [59.8, 85.8] on 40 outcomes."
    text = page_of(source)
    assert "Every pair" not in text
    assert (tmp_path / "out" / "index.html").read_text(encoding="utf-8").count("<svg") == 1


def test_errored_rows_are_left_out_named_and_bounded(tmp_path: Path) -> None:
    """Two timeouts of 40 leave 30 of 38; as failures 30 of 40, as passes 32 of 40."""
    rows = verdicts({"a": 30})
    for row in rows[-2:]:
        row.update(score=None, status="timeout")
    text = page_of(rows_file(tmp_path / "v.jsonl", rows))
    assert "a: 2 of 40 rows have no score (2 timeout)" in text
    assert "counted as failures the mean is 0.7500, as passes 0.8000" in text
    assert "78.9 % [" in text
    failed = page_of(tmp_path / "v.jsonl", ReportSettings(errors="fail"))
    assert "75.0 % [" in failed
    assert "without a score count as failures" in failed


def test_no_score_at_all_is_said_not_computed(tmp_path: Path) -> None:
    """A file of errors gives a page that says so."""
    rows = [{"system": s, "item": i, "score": None} for s in "ab" for i in range(5)]
    text = page_of(rows_file(tmp_path / "v.jsonl", rows))
    assert "no score of a can be estimated." in text
    assert "a and b cannot be compared" in text or "b and a cannot be compared" in text
    assert re.search(r"\bnan\b", text, re.IGNORECASE) is None


def test_scores_beyond_one_are_printed_as_they_are(tmp_path: Path) -> None:
    """Scores of 0 to 10 are no percentages."""
    rows = [{"system": "a", "item": i, "score": i % 11} for i in range(44)]
    source = rows_file(tmp_path / "v.jsonl", rows)
    assert summary(source).startswith("a scores 5.000 [")
    assert "%" not in summary(source)


def test_verifiers_are_never_mixed(tmp_path: Path) -> None:
    """Two verifiers have a sentence, tables and figures each."""
    rows = verdicts({"a": 30, "b": 10}, verifier="v1") + verdicts({"a": 5, "b": 39}, verifier="v2")
    source = rows_file(tmp_path / "v.jsonl", rows)
    first, second = summary(source).split("; ")
    assert first.startswith("a scores highest")
    assert first.endswith("verifier v1")
    assert second.startswith("b scores highest")
    text = page_of(source)
    assert "Every pair, verifier v1" in text
    assert "Every pair, verifier v2" in text


def test_too_many_systems_are_estimated_and_not_compared(tmp_path: Path) -> None:
    """Beyond 40 systems the page has scores only, and names the command that compares."""
    rates = {f"s{i:02}": i % 5 for i in range(41)}
    text = page_of(rows_file(tmp_path / "v.jsonl", verdicts(rates, items=5)))
    assert "s04 scores highest of 41 systems, 80.0 % [" in text
    assert "none is compared." in text
    assert "`evalkit compare --all` compares them" in text
    assert "The first 30 of 41." in text


def test_two_scales_are_refused(tmp_path: Path) -> None:
    """Fractions beside percentages have no common page."""
    rows = [
        {"system": s, "item": i, "score": 0.8 * k} for s, k in (("a", 1), ("b", 100)) for i in "xyz"
    ]
    with pytest.raises(EvalkitError, match="two scales"):
        write_file_report(rows_file(tmp_path / "v.jsonl", rows), tmp_path / "x.html")


def test_clusters_seed_and_adjustment_reach_the_numbers(tmp_path: Path) -> None:
    """Settings are used, said in the methods and kept in the provenance."""
    rows = [row | {"topic": str(i % 8)} for i, row in enumerate(verdicts({"a": 30, "b": 8}))]
    source = rows_file(tmp_path / "v.jsonl", rows)
    settings = ReportSettings(cluster="topic", adjust="bh", seed=7, level=0.9, command="do it")
    text = page_of(source, settings)
    assert "which carry the sampling of clusters (topic)" in text
    assert "Benjamini and Hochberg's method" in text
    assert "90 % intervals (augmented-cluster-t)" in text
    assert "Command do it" in text
    assert text.endswith("Seed 7 ")


def test_findings_of_the_doctor_stand_on_the_page(tmp_path: Path) -> None:
    """Ids that differ only by leading zeros are a warning among the findings."""
    rows = [*verdicts({"a": 3}, items=5), {"system": "a", "item": "7", "score": 1}]
    rows.append({"system": "a", "item": "007", "score": 0})
    text = page_of(rows_file(tmp_path / "v.jsonl", rows))
    assert "warning id collisions" in text
    assert "Checks of the source" in text


def test_histories_are_accounted_for_and_drawn(tmp_path: Path) -> None:
    """Two runs of two rounds: 3 of 4 candidates are new bests."""
    scores = {"r1": (0.5, 0.6, 0.7), "r2": (0.5, 0.4, 0.6)}
    rows = [
        {"run": run, "round": r, "score": s}
        for run, line in scores.items()
        for r, s in enumerate(line)
    ]
    source = rows_file(tmp_path / "h.jsonl", rows)
    assert summary(source).startswith("3 of 4 candidates in 2 runs set a new best (75.0 [")
    text = page_of(source)
    assert "round 1 1/2 50.0 [" in text
    assert "Seed none, nothing is random" in text
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert page.count('role="img"') == 3
    assert "new bests: round 1 1 of 2; round 2 2 of 2" in page


def test_a_history_without_rounds_says_so(tmp_path: Path) -> None:
    """Parents alone have no yield and no figure."""
    rows = [{"run": "a", "round": 0, "score": 0.5}]
    assert summary(rows_file(tmp_path / "h.jsonl", rows)) == (
        "1 runs hold no candidate, so there is no yield."
    )


def test_judgments_give_agreement_by_grader(tmp_path: Path) -> None:
    """Three of four right in both orders is an agreement of 75 percent."""
    lines = ["pair_id,grader,order1,order2,label"]
    lines += [f"p{i},g,{'A>B' if i else 'B>A'},{'B>A' if i else 'A>B'},A>B" for i in range(4)]
    source = tmp_path / "j.csv"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert summary(source).startswith("g agrees with the reference on 75.0 [")
    text = page_of(source)
    assert "position bias" in text
    assert "Agreement by grader" not in text


def test_the_same_file_writes_the_same_bytes(tmp_path: Path) -> None:
    """Two pages of one file are equal, wherever they are written."""
    source = rows_file(tmp_path / "v.jsonl", verdicts({"a": 30, "b": 20}))
    pages = [write_file_report(source, tmp_path / d / "index.html") for d in ("x", "y/z")]
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    """Markup, dollar signs, pipes and half surrogates in names harm neither page nor figures."""
    names = ["<script>x</script>", "pri$$ce", "a|b", "m\ud835", "n" * 300]
    source = rows_file(tmp_path / "v.jsonl", verdicts(dict.fromkeys(names, 10), items=12))
    page = write_file_report(source, tmp_path / "index.html").read_bytes().decode("utf-8")
    assert page.count("<script") == 1
    assert "n" * 300 in page


def test_what_cannot_be_reported_is_refused_by_name(tmp_path: Path) -> None:
    """A missing file, an empty one and repeated verdicts are errors that name the file."""
    with pytest.raises(FileMissingError, match="no such file"):
        write_file_report(tmp_path / "none.jsonl", tmp_path / "x.html")
    empty = tmp_path / "empty.jsonl"
    empty.write_text("", encoding="utf-8")
    with pytest.raises(EvalkitError, match="empty"):
        write_file_report(empty, tmp_path / "x.html")
    twice = rows_file(tmp_path / "twice.jsonl", [{"item": "a", "score": 1}] * 2)
    with pytest.raises(InputError):
        write_file_report(twice, tmp_path / "x.html")
    assert not (tmp_path / "x.html").exists()


def test_provenance_names_inputs_versions_and_seed(tmp_path: Path) -> None:
    """The hash is that of the bytes, and only the name of the file is printed."""
    source = tmp_path / "deep" / "v.jsonl"
    source.parent.mkdir()
    source.write_bytes(b"x" * (1 << 20) + b"y")
    found = provenance_of([source], command=None, seed=0)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    assert found["Input v.jsonl"] == f"sha256 {digest}"
    assert found["Seed"] == "0"
    assert "deep" not in str(found)
    assert {"evalkit", "Python", "numpy", "scipy"} <= set(found)


def test_the_hash_of_a_folder_follows_names_and_contents(tmp_path: Path) -> None:
    """Renaming or changing a file within a folder changes its hash."""
    (tmp_path / "a").write_text("1", encoding="utf-8")
    one = file_hash(tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    two = file_hash(tmp_path)
    (tmp_path / "b").write_text("2", encoding="utf-8")
    assert len({one, two, file_hash(tmp_path)}) == 3


def test_undefined_percentages_and_methods_print_as_such() -> None:
    """No value is a dash; degrees of freedom do not make a method two."""
    assert percent_text(None) == "\N{EN DASH}"
    names = [
        Interval(low=0, high=1, level=0.95, method=m) for m in ("cr2 (t, 3 df)", "cr2 (t, 4 df)")
    ]
    assert method_names([*names, None]) == "cr2"
    assert method_names([]) == "none defined"
