"""A win rate that does not follow from its own counts is flagged."""

import pytest

from evalkit.consistency import audit


def findings(rows):
    """Return what the audit finds in a table."""
    return audit(rows)


def row(quoted, wins=120, ties=10, losses=70):
    """One row of a leaderboard."""
    total = wins + ties + losses
    return {
        "model": "m",
        "wins": wins,
        "ties": ties,
        "losses": losses,
        "n": total,
        "win_rate": quoted,
    }


@pytest.mark.parametrize(
    ("quoted", "fine"), [("62.5", True), ("60.0", False), ("62.4", False), ("65.0", False)]
)
def test_win_rate_with_half_ties(quoted, fine):
    """(120 + 10/2) / 200 is 62.5; a rate off by five wins is found."""
    report = findings([row(quoted), row("62.5"), row("62.5")])
    bad = [
        each
        for each in report
        if each.to_dict()["verdict"] not in {"ok", "consistent", "possible", "not checked"}
    ]
    assert bool(bad) is not fine
