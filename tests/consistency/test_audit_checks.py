"""Each check on small tables: what it flags, what it leaves alone, and what it cannot tell."""

from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.consistency import audit
from evalkit.errors import ArgumentError


def table(text):
    """Rows of a small table, cells apart by a bar."""
    header, *lines = [
        [cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()
    ]
    return [dict(zip(header, line, strict=True)) for line in lines]


def verdicts(report, check):
    """Verdict of each row under one check."""
    return {c.row: c.verdict for c in report if c.check == check}


def only(report, check):
    """Return the one finding of a check."""
    (cell,) = (c for c in report.findings if c.check == check)
    return cell


def test_win_rate_against_its_counts():
    """60.0 from 120, 10, 70 is 2.5 points or 5 wins off; 62.5 follows."""
    report = audit(
        table("s|wins|ties|losses|n|win_rate\na|120|10|70|200|62.5\nb|120|10|70|200|60.0")
    )
    cell = only(report, "win rate")
    assert (cell.row, cell.printed, cell.verdict, cell.distance) == ("b", "60.0", "mismatch", -2.5)
    assert "off by 5 wins" in cell.explanation
    assert "ties count as losses" in cell.explanation
    assert verdicts(report, "sum") == {"a": "ok", "b": "ok"}


def test_one_row_is_judged_by_half_ties():
    """A single row does not make its own rule for ties; a declared rule does."""
    rows = table("s|wins|ties|losses|total|win_rate\na|120|10|70|200|60.0")
    assert only(audit(rows), "win rate").verdict == "mismatch"
    assert not audit(rows, ties="loss").findings


@pytest.mark.parametrize(
    ("rates", "rule"),
    [(("75.0", "55.6"), "excluded"), (("60.0", "40.0"), "losses"), (("80.0", "68.0"), "as wins")],
)
def test_rule_of_a_whole_column_is_recognised(rates, rule):
    """Where every row with ties follows one rule and none follows half, that rule is taken."""
    a, b = rates
    report = audit(table(f"s|W|T|L|win rate\na|60|20|20|{a}\nb|50|35|40|{b}\nc|1|0|1|50.0"))
    found = {c.row: c for c in report if c.check == "win rate"}
    assert {c.verdict for c in found.values()} == {"ok"}
    assert any(rule in c.explanation for c in found.values())


def test_games_that_do_not_sum():
    """Wins, ties and losses below n leave verdicts out; shares sum to the whole."""
    report = audit(table("s|wins|ties|losses|n|win rate\na|120|10|69|200|62.5"))
    assert only(report, "sum").distance == 1.0
    shares = audit(
        table("s|Win|Tie|Lose\na|60.0%|5.0%|35.0%\nb|50.0%|5.0%|40.0%\nc|33.3%|33.3%|33.3%")
    )
    assert verdicts(shares, "sum") == {"a": "ok", "b": "mismatch", "c": "ok"}


def test_weighted_win_rate_is_left_alone():
    """Beside a discrete win rate, another one does not follow from the counts."""
    report = audit(
        table(
            "s|win_rate|wins|ties|losses|discrete_win_rate\na|51.3|60|0|40|60.0\nb|50.1|50|0|50|50.0"
        )
    )
    assert not report.findings
    assert any(c.column == "win_rate" and c.verdict == "uncheckable" for c in report)


def test_counts_beside_a_percentage():
    """36 of 619 is 5.82; 4.92 is 36 of 731. Ratios inside a cell are checked too."""
    report = audit(table("s|solved|rows|resolve_rate\na|240|562|42.70\nb|36|619|4.92"))
    cell = only(report, "count")
    assert (cell.row, cell.expected[:4]) == ("b", "5.82")
    assert "731" in cell.explanation
    ratio = audit(table("s|accuracy\na|10.2 (51/500)\nb|10.4 (51/500)"))
    assert only(ratio, "count").row == "b"


def test_a_score_beside_counts_is_their_ratio():
    """Counts and sizes of one base belong to the score of that base."""
    report = audit(table("s|Val successes|Val n|Val score\na|160|200|80.00\nb|150|200|76.00"))
    assert verdicts(report, "count") == {"a": "ok", "b": "mismatch"}


@pytest.mark.parametrize(
    ("se", "verdict", "why"),
    [
        ("4.02", "ok", ""),
        ("4.00", "ok", "divisor n"),
        ("2.00", "mismatch", "n = 400"),
        ("8.00", "mismatch", "design effect"),
        ("0.00", "mismatch", "all scores equal"),
    ],
)
def test_standard_errors(se, verdict, why):
    """At p = 0.8 and n = 100 the error is 4.02, or 4.00 with divisor n."""
    report = audit(table(f"s|n|accuracy|se\na|100|80.0|{se}"))
    (cell,) = (c for c in report if c.check == "se")
    assert cell.verdict == verdict
    assert why in cell.explanation


def test_zero_error_is_right_at_the_ends_and_for_ties():
    """An error of 0 is degenerate at 0 and 1, and right where every game is a tie."""
    ends = audit(table("s|n|accuracy|se\na|20|100.0|0.0\nb|20|0.0|0.0"))
    assert not ends.findings
    draws = audit(table("s|wins|ties|losses|n|win_rate|standard_error\na|0|805|0|805|50.0|0.0"))
    assert not draws.findings


def test_errors_of_games():
    """The error of a win rate is that of scores 0, 1/2 and 1."""
    scores = [1] * 60 + [0.5] * 20 + [0] * 20
    mean = sum(scores) / 100
    se = 100 * sqrt(sum((x - mean) ** 2 for x in scores) / 99 / 100)
    rows = f"s|wins|ties|losses|win_rate|se\na|60|20|20|70.0|{se:.3f}\nb|60|20|20|70.0|{se + 1:.3f}"
    assert verdicts(audit(table(rows)), "se") == {"a": "ok", "b": "mismatch"}


def test_clustered_errors_cannot_be_told():
    """A column of errors that are all larger than binomial is another kind of error."""
    report = audit(table("s|n|accuracy|se\na|100|80.0|7.0\nb|100|50.0|8.0\nc|100|70.0|8.8"))
    assert set(verdicts(report, "se").values()) == {"uncheckable"}


@pytest.mark.parametrize(
    ("accuracy", "sd", "verdict", "why"),
    [
        ("80.0", "40.0", "ok", ""),
        ("0.800", "0.402", "ok", ""),
        ("80.0", "4.0", "mismatch", "standard error"),
        ("80.0", "0.40", "mismatch", "other scale"),
        ("80.0", "60.0", "mismatch", "too large"),
        ("80.0", "1.5", "uncheckable", "--seeds"),
    ],
)
def test_sd_of_items(accuracy, sd, verdict, why):
    """The sd of 0-1 scores is sqrt(p(1-p)), on the scale of the mean."""
    report = audit(table(f"s|n|accuracy|sd\na|100|{accuracy}|{sd}\nb|100|{accuracy}|{sd}"))
    cells = [c for c in report if c.check == "sd"]
    assert {c.verdict for c in cells} == {verdict}
    assert why in cells[0].explanation


def test_plus_minus_needs_a_meaning():
    """What follows the sign is the sd of several seeds, or declared, or unknown."""
    rows = table("s|accuracy\na|80.3 ± 1.3\nb|80.3 ± 0.1")
    assert verdicts(audit(rows, n=120, seeds=3), "sd") == {"a": "ok", "b": "mismatch"}
    assert verdicts(audit(rows, n=120), "sd") == {None: "uncheckable"}
    assert verdicts(audit(rows, n=120, plus_minus="se"), "se")["a"] == "mismatch"


def test_intervals():
    """Bounds in order, around the point, and in range; in columns, cells or by a prefix."""
    columns = "s|accuracy|ci_low|ci_high\na|70.0|60.0|80.0\nb|70.0|71.0|80.0\nc|95.0|88.0|102.0\nd|70.0|80.0|60.0"  # noqa: E501
    expected = {"a": "ok", "b": "mismatch", "c": "mismatch", "d": "mismatch"}
    assert verdicts(audit(table(columns)), "interval") == expected
    cells = "s|accuracy\na|70.0 [60.0, 80.0]\nb|70.0 [71.0, 80.0]"
    assert verdicts(audit(table(cells)), "interval") == {"a": "ok", "b": "mismatch"}
    prefix = (
        "s|test_lo|test_hi|test_median|valid_lo|valid_hi|valid_median\na|1.0|2.0|3.0|1.0|3.0|2.0"
    )
    assert sorted(c.verdict for c in audit(table(prefix)) if c.check == "interval") == [
        "mismatch", "ok",
    ]  # fmt: skip


def test_interval_noise_is_no_finding():
    """A bound printed with more digits may pass the point by its rounding."""
    report = audit(table("s|accuracy|low|high\na|0.70|0.7004|0.9000\nb|0.30|0.35|0.50"))
    assert verdicts(report, "interval") == {"a": "ok", "b": "mismatch"}


def test_ranges_and_mixed_scales():
    """Percentages above 100 or below 0, and a fraction among percentages, are flagged."""
    report = audit(table("s|accuracy\na|102.5\nb|100.0\nc|0\nd|\N{MINUS SIGN}1.0\ne|55.0"))
    assert {c.row for c in report.findings if c.check == "range"} == {"a", "d"}
    mixed = audit(table("s|accuracy\na|0.83\nb|82.0\nc|75.5"))
    assert "fraction" in only(mixed, "range").explanation


def test_differences():
    """Differences follow within the rounding of their parts; a wrong sign is named."""
    report = audit(
        table(
            "s|base|new|Δ\na|60.1|62.3|+2.2\nb|60.0|58.5|\N{MINUS SIGN}1.5\nc|50.0|52.0|+3.0\n"
            "d|50.0|49.0|+1.0\ne|50.0|52.0|2.1\nf|50.0|—|n/a"
        )
    )
    assert verdicts(report, "delta") == {
        "a": "ok", "b": "ok", "c": "mismatch", "d": "mismatch", "e": "ok",
    }  # fmt: skip
    assert [c.explanation for c in report.findings if c.row == "d"] == ["the sign is reversed"]


def test_differences_by_heading_and_by_setting():
    """B-A in a heading or an option names the parts; else they must be evident."""
    heading = audit(table("s|A|B|B-A\na|60.1|62.3|3.2"))
    assert only(heading, "delta").distance == 1.0
    rows = table("s|X|Y|Z|gain\na|60.1|62.3|50.0|9.9")
    assert verdicts(audit(rows), "delta") == {None: "uncheckable"}
    assert only(audit(rows, deltas={"gain": "Y-X"}), "delta").row == "a"
    with pytest.raises(ArgumentError, match="write B-A"):
        audit(rows, deltas={"gain": "Q-X"})


def test_relative_improvement_is_not_a_difference():
    """An improvement in percent may be relative, so it is not judged."""
    report = audit(table("s|base|ours|improvement (%)\na|50.0|60.0|20.0\nb|40.0|44.0|10.0"))
    assert verdicts(report, "delta") == {None: "uncheckable"}


def test_means_over_columns():
    """An average follows from its columns, with weights where they are declared."""
    rows = table("m|X|Y|Z|Avg\na|60.0|70.0|80.0|70.0\nb|61.0|70.5|80.0|70.5\nc|10.0|20.0|30.0|25.0")
    assert only(audit(rows), "mean").row == "c"
    micro = table("m|T1|T2|micro\na|75.00|25.00|73.08")
    assert verdicts(audit(micro, means={"micro": "T1:400,T2:16"}), "mean") == {"a": "ok"}
    assert only(audit(micro, means={"micro": "T1,T2"}), "mean").verdict == "mismatch"


def test_rows_that_sum_up():
    """Macro is the plain mean, micro the weighted one; one in place of the other is named."""
    text = "task|n|accuracy\nT1|400|75.00\nT2|16|25.00\n"
    assert not audit(table(text + "Macro|416|50.00\nMicro|416|73.08")).findings
    swapped = only(audit(table(text + "Micro avg|416|50.00")), "mean")
    assert "unweighted mean" in swapped.explanation
    assert only(audit(table(text + "Average||60.00")), "mean").distance == 10.0
    assert only(audit(table(text + "Total|500|73.08")), "sum").column == "n"


def test_totals_over_columns():
    """Totals follow from their columns; right and wrong sum to n."""
    report = audit(table("s|A|B|C|Total\na|1|2|3|6\nb|4|5|6|15\nc|1|1|1|4"))
    assert only(report, "sum").row == "c"
    split = audit(table("s|correct|incorrect|total\na|30|10|40\nb|31|10|40"))
    assert only(split, "sum").row == "b"


@pytest.mark.parametrize(
    "ranks", [(1, 2, 2, 4), (1, 2, 2, 3), (1, 2.5, 2.5, 4), (1, 3, 3, 4), (1, 2, 3, 4)]
)
def test_rank_conventions(ranks):
    """Competition, dense, fractional, modified and ordinal ranks of ties are all right."""
    scores = ("90.1", "88.0", "88.0", "80.0")
    rows = [
        {"rank": str(r), "s": n, "score": x} for r, n, x in zip(ranks, "abcd", scores, strict=True)
    ]
    report = audit(rows)
    assert set(verdicts(report, "rank").values()) == {"ok"}
    assert not report.findings


def test_ranks_out_of_order():
    """Two exchanged ranks are two findings; lower-is-better columns are recognised."""
    report = audit(table("rank|s|score\n1|a|90.1\n2|b|85.0\n3|c|88.0\n4|d|80.0"))
    assert {c.row for c in report.findings} == {"b", "c"}
    assert not audit(table("s|perplexity|rank\na|0.5|3\nb|0.2|1\nc|0.3|2")).findings
    excerpt = audit(table("rank|s|score\n1|a|90.1\n4|b|85.0\n9|c|80.0"))
    assert verdicts(excerpt, "rank") == {None: "uncheckable"}


def markdown(tmp_path, text):
    """Audit a Markdown file."""
    path = tmp_path / "t.md"
    path.write_text(text)
    return audit(path)


def test_bold_best_and_ties(tmp_path):
    """All tied maxima are bold; a tie left out needs other digits; a wrong one is wrong."""
    head = "| m | Acc ↑ | Loss ↓ |\n|--|--|--|\n"
    right = markdown(
        tmp_path, head + "| a | **90.0** | 0.5 |\n| b | **90.0** | **0.2** |\n| c | 8.0 | 0.3 |"
    )
    assert not right.findings
    tied = markdown(
        tmp_path, head + "| a | **90.0** | 0.5 |\n| b | 90.0 | **0.2** |\n| c | 8.0 | 0.3 |"
    )
    assert (only(tied, "bold").row, only(tied, "bold").verdict) == ("b", "rounding")
    wrong = markdown(
        tmp_path, head + "| a | **90.0** | 0.5 |\n| b | 91.0 | **0.2** |\n| c | 8.0 | 0.3 |"
    )
    cell = only(wrong, "bold")
    assert (cell.row, cell.verdict, cell.distance) == ("a", "mismatch", -1.0)


def test_bold_within_blocks_and_rows(tmp_path):
    """Best values can be marked within a block or a row; a bold row is emphasis."""
    blocks = "| m | Acc |\n|--|--|\n| Small | |\n| a | 60.0 |\n| b | **61.0** |\n| Large | |\n| a | 70.0 |\n| b | **72.0** |"  # noqa: E501
    assert not markdown(tmp_path, blocks).findings
    across = "| m | X | Y |\n|--|--|--|\n| a | **60.0** | 50.0 |\n| b | 40.0 | **45.0** |\n| c | 1.0 | **2.0** |"  # noqa: E501
    assert not markdown(tmp_path, across).findings
    ours = "| m | X | Y |\n|--|--|--|\n| a | 60.0 | 50.0 |\n| **ours** | **40.0** | **45.0** |"
    assert not markdown(tmp_path, ours).findings


def test_one_quantity_in_two_tables(tmp_path):
    """A value that differs from that of another table is flagged; scales and digits may differ."""
    report = markdown(
        tmp_path,
        "# One\n| m | acc |\n|--|--|\n| a | 70.0 |\n| b | 71.0 |\n| c | 50.0 |\n\n"
        "# Two\n| m | acc |\n|--|--|\n| a | 70.04 |\n| b | 0.710 |\n| c | 51.0 |\n",
    )
    cell = only(report, "repeated")
    assert (cell.row, cell.printed, cell.distance) == ("c", "51.0", 1.0)
    assert sorted(c.verdict for c in report if c.check == "repeated") == ["mismatch", "ok", "ok"]


def test_repeated_names_may_be_settings():
    """Labels that are repeated as a rule name several settings."""
    report = audit(table("s|accuracy\nx|62.5\nx|65.0\ny|60.0\ny|65.0"))
    assert set(verdicts(report, "repeated").values()) == {"uncheckable"}


def test_unknown_metric_is_not_tested():
    """A heading that does not tell is tested only where the kind is declared."""
    rows = table("s|n|MMLU|Cost\na|40|63.0|1.07")
    assert verdicts(audit(rows), "attainable") == {None: "uncheckable"}
    assert only(audit(rows, kind="accuracy"), "attainable").column == "MMLU"
    assert only(audit(rows, roles={"MMLU": "percentage"}), "attainable").column == "MMLU"
    wide = table("s|A|B\na|63.0|62.5")
    assert only(audit(wide, kind="accuracy", n={"A": 40}), "attainable").column == "A"


def test_missing_cells_are_no_findings():
    """Dashes, blanks and n/a are skipped; a row without its n cannot be checked."""
    report = audit(table("s|n|accuracy\na|40|—\nb|40|n/a\nc|40|62.5\nd||61.1\ne|40|"))
    assert verdicts(report, "attainable") == {"c": "ok", "d": "uncheckable"}


@pytest.mark.parametrize(
    ("setting", "match"),
    [
        ({"n": 0}, "`n` is 0"), ({"n": True}, "`n` is True"), ({"seeds": -1}, "`seeds` is -1"),
        ({"kind": "f1"}, "`kind` is 'f1'"), ({"ties": "none"}, "`ties`"),
        ({"plus_minus": "ci"}, "`plus_minus`"), ({"roles": {"zz": "n"}}, "'zz'"),
        ({"roles": {"s": "zz"}}, "'zz'"), ({"n": {"zz": 4}}, "'zz'"),
        ({"means": {"accuracy": "zz"}}, "'zz'"), ({"sums": {"zz": "s"}}, "'zz'"),
    ],
)  # fmt: skip
def test_bad_settings_are_refused(setting, match):
    """A setting that names nothing is refused with what is allowed."""
    with pytest.raises(ArgumentError, match=match):
        audit(table("s|accuracy\na|62.5"), **setting)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 60), st.integers(0, 20), st.integers(0, 60)),
        min_size=1,
        max_size=6,
    )
)
def test_sound_leaderboards_give_no_finding(games):
    """Whatever the counts, rates and errors that follow from them are not flagged."""
    rows = []
    for place, (w, t, l) in enumerate(games):
        n = w + t + l
        if n < 2:
            continue
        mean = (w + t / 2) / n
        se = 100 * sqrt(((w + t / 4) / n - mean**2) * n / (n - 1) / n)
        rows.append({"s": f"m{place}", "wins": str(w), "ties": str(t), "losses": str(l),
                     "n": str(n), "win_rate": repr(100 * mean), "se": repr(se)})  # fmt: skip
    if rows:
        assert not audit(rows).findings


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 90), st.lists(st.integers(0, 90), min_size=1, max_size=8), st.integers(0, 3))
def test_sound_accuracies_give_no_finding(n, counts, digits):
    """Counts out of n, printed half up with their differences, are not flagged."""
    from fractions import Fraction

    from evalkit.rounding import format_number

    rows = []
    for place, k in enumerate(counts):
        a, b = (Fraction(100 * min(x, n), n) for x in (k, k + 1))
        rows.append({"s": f"m{place}", "n": str(n), "base accuracy (%)": format_number(a, digits),
                     "new accuracy (%)": format_number(b, digits),
                     "delta": format_number(b - a, digits, sign=True)})  # fmt: skip
    assert not audit(rows).findings


def test_win_percent_beside_wins():
    """A heading "Win %" beside counts is their rate, and a share where there are no counts."""
    rows = "s|Wins|Ties|Losses|Win %\na|120|10|70|62.5\nb|120|10|70|60.0"
    assert verdicts(audit(table(rows)), "win rate") == {"a": "ok", "b": "mismatch"}


def test_half_credits_are_not_called_wrong():
    """Several numbers that fail at n and fit halves are withheld; a declared kind decides."""
    rows = table("s|n|accuracy\na|54|43.519\nb|54|49.074\nc|54|50.000")
    assert set(verdicts(audit(rows), "attainable").values()) == {"uncheckable", "ok"}
    assert not audit(rows, kind="half").findings
    assert len(audit(rows, kind="accuracy").findings) == 2


def test_headings_that_only_resemble_a_role():
    """Learning rates, kappas and scores of right answers are no percentages of items."""
    report = audit(
        table(
            "s|n|correct|learning rate|kappa|mean score correct|avg length\n"
            "a|40|30|0.0013|-0.10|0.9899|2049\nb|40|31|0.0027|0.33|0.9657|1500"
        )
    )
    assert not report.findings


def test_records_are_not_a_table_of_repeats():
    """Rows of runs share their labels without contradicting one another."""
    rows = [
        {"task": str(t), "trial": str(r), "score": str((t * r) % 2), "n_messages": str(10 * t + r)}
        for t in range(1, 5)
        for r in range(3)
    ]
    assert not audit(rows).findings


def test_a_label_in_two_rows():
    """A label that stands twice as the exception, with two values, is flagged."""
    report = audit(table("s|accuracy\nx|62.5\ny|65.0\nz|60.0\nx|65.0"))
    assert (only(report, "repeated").row, only(report, "repeated").printed) == ("x", "65.0")
