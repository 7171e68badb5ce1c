"""Claims: numbers that stand in the running text of a paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evalkit.errors import ArgumentError
from evalkit.studies.cells import Computed, Status, check
from evalkit.studies.reported import read_rows

__all__ = ["CheckedClaim", "check_claims"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """One row of ``claims.csv``."""

    claim: str
    where: str
    reported: str
    computed: str
    status: Status
    note: str

    def to_dict(self) -> dict[str, str]:
        """Return the row as text fields."""
        return {name: getattr(self, name) for name in self.__slots__}


def check_claims(
    path: Path, computed: Mapping[str, Computed], *, reasons: Mapping[str, str] | None = None
) -> tuple[CheckedClaim, ...]:
    """Check the claims of a paper.

    Parameters
    ----------
    path : Path
        CSV with the columns ``id,where,reported,quantity``.
    computed : mapping of id to Computed
        What the study computed. A claim without an entry is not computed.
    reasons : mapping of id to str, optional
        Why a claim is not computed.

    Returns
    -------
    tuple of CheckedClaim
        In file order; the note says which quantity it is.

    Raises
    ------
    ArgumentError
        If a computed value or a reason belongs to no claim.
    """
    reasons = reasons or {}
    rows = read_rows(path)
    stray = sorted({*computed, *reasons} - {row["id"] for row in rows})
    if stray:
        raise ArgumentError(
            f"`computed` and `reasons` name {len(stray)} claims that {path.name} does not have, "
            f"such as {stray[0]!r}; correct the ids"
        )
    return tuple(_checked(row, computed.get(row["id"]), reasons.get(row["id"], "")) for row in rows)


def _checked(row: Mapping[str, str], entry: Computed | None, reason: str) -> CheckedClaim:
    text, status, notes = "", "not-computed", [row["quantity"]]
    if entry is None or entry.value is None:
        notes.append(reason or "no record determines it")
    else:
        result = check(
            row["reported"], entry.value, alternatives=entry.alternatives, slack=entry.slack
        )
        text, status = result.computed, result.status
        notes += [entry.note, result.note, entry.conflict if status == "mismatch" else ""]
    return CheckedClaim(
        claim=row["id"],
        where=row["where"],
        reported=row["reported"],
        computed=text,
        status=status,  # type: ignore[arg-type]
        note="; ".join(note for note in notes if note),
    )
