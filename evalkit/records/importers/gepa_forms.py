"""The forms in which GEPA writes a run: its state, its result, and the tree of iterations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalkit.records.importers.files import Place, read_bytes, read_json
from evalkit.records.importers.gepa_model import (
    GepaCandidate,
    GepaRun,
    Proposal,
    candidate_artifact,
    numbers,
    parents_of,
    reported,
    scores_by_id,
)
from evalkit.records.importers.gepa_trace import read_trace
from evalkit.records.importers.tables import named

__all__ = ["from_iterations", "from_result", "from_state", "is_result"]

_STATE_FACTS = ("validation_schema_version", "num_full_ds_evals", "frontier_type", "i")
_RESULT_FACTS = ("seed", "num_full_val_evals", "best_idx", "validation_schema_version", "run_dir")
_AGENT_FACTS = ("iteration", "num_full_val_evals", "frontier_type", "component_names", "summary")


def is_result(document: Any) -> bool:
    """Whether a JSON document is ``GEPAResult.to_dict()``."""
    return (
        isinstance(document, Mapping)
        and "candidates" in document
        and "parents" in document
        and ("val_aggregate_scores" in document or "val_subscores" in document)
    )


def _aligned(place: Place, document: Mapping[str, Any], key: str, size: int) -> list[Any]:
    """Return a list that must be as long as that of the candidates; all ``None`` where absent."""
    value = document.get(key)
    if value is None:
        return [None] * size
    listed = place.listing(value, f"`{key}`")
    if len(listed) != size:
        raise place.fault(f"`{key}` has {len(listed)} entries for {size} candidates")
    return listed


def from_state(state: Mapping[str, Any], place: Place, notes: list[str]) -> GepaRun:
    """Return the run that ``gepa_state.bin`` holds."""
    programs = place.listing(state.get("program_candidates"), "`program_candidates`")
    scores = _aligned(place, state, "prog_candidate_val_subscores", len(programs))
    parents = _aligned(place, state, "parent_program_for_candidate", len(programs))
    plain = {k: v for k, v in state.items() if isinstance(v, (bool, int, float, str))}
    run = GepaRun(facts=reported(plain, _STATE_FACTS))
    for index, (texts, own, line) in enumerate(zip(programs, scores, parents, strict=True)):
        here = place.at(item=f"candidate {index}")
        run.candidates[index] = GepaCandidate(
            index=index,
            artifact=candidate_artifact(texts),
            parents=parents_of(line, here),
            scores={} if own is None else scores_by_id(own, "the validation scores", here),
        )
    trace = state.get("full_program_trace")
    run.proposals = None if trace is None else read_trace(trace, place, notes)
    run.total = place.whole(state.get("total_num_evals"), "`total_num_evals`")
    return run


def from_result(document: Mapping[str, Any], place: Place) -> GepaRun:
    """Return the run that ``GEPAResult.to_dict()`` holds; it has no rejected proposals."""
    programs = place.listing(document.get("candidates"), "`candidates`")
    scores = _aligned(place, document, "val_subscores", len(programs))
    averages = _aligned(place, document, "val_aggregate_scores", len(programs))
    parents = _aligned(place, document, "parents", len(programs))
    run = GepaRun(facts=reported(document, _RESULT_FACTS))
    rows = enumerate(zip(programs, scores, averages, parents, strict=True))
    for index, (texts, own, average, line) in rows:
        here = place.at(item=f"candidate {index}")
        run.candidates[index] = GepaCandidate(
            index=index,
            artifact=candidate_artifact(texts),
            parents=parents_of(line, here),
            scores={} if own is None else scores_by_id(own, "the validation scores", here),
            average=here.number(average, "the aggregate score"),
        )
    run.total = place.whole(document.get("total_metric_calls"), "`total_metric_calls`")
    return run


def from_iterations(root: Path, notes: list[str]) -> GepaRun:
    """Return the run that ``iterations/`` holds, one folder a proposal, rejected ones included."""
    folders = sorted(each.parent for each in (root / "iterations").glob("*/meta.json"))
    if not folders:
        raise Place(path=str(root / "iterations")).fault("no iteration has a meta.json")
    found = [_iteration(folder) for folder in folders]
    ids = {meta["id"]: meta["index"] for meta in found if meta["index"] is not None}
    run = GepaRun(facts=_agent_facts(root))
    lost = []
    for meta in sorted(found, key=lambda each: (each["order"], each["id"])):
        index = meta["index"]
        if index is not None:
            parents = tuple(ids[p] for p in meta["parents"] if ids.get(p) is not None)
            if index in run.candidates:
                raise Place(path=str(root)).fault(f"two iterations are candidate {index}")
            run.candidates[index] = GepaCandidate(
                index=index,
                artifact=meta["artifact"],
                parents=parents,
                scores=meta["scores"],
                average=meta["average"],
            )
        elif meta["accepted"]:
            lost.append(meta["id"])
        if not meta["seed"]:
            run.proposals = run.proposals or []
            run.proposals.append(meta["proposal"])
    run.proposals = run.proposals or []
    if lost:
        notes.append(f"iterations {named(lost)} were accepted and name no candidate")
    state = root / "gepa_state.json"
    if state.is_file():
        place = Place(path=str(state))
        document = place.mapping(read_json(state), "the document")
        run.total = place.whole(document.get("total_metric_calls"), "`total_metric_calls`")
    return run


def _agent_facts(root: Path) -> dict[str, Any]:
    path = root / "gepa_state.json"
    if not path.is_file():
        return {}
    return reported(Place(path=str(path)).mapping(read_json(path), "the document"), _AGENT_FACTS)


def _iteration(folder: Path) -> dict[str, Any]:
    path = folder / "meta.json"
    place = Place(path=str(path))
    meta = place.mapping(read_json(path), "the document")
    seed = folder.name == "seed"
    index = place.whole(meta.get("candidate_idx"), "`candidate_idx`")
    before = numbers(meta.get("subsample_scores_before"), "`subsample_scores_before`", place)
    after = numbers(meta.get("subsample_scores_after"), "`subsample_scores_after`", place)
    parents = meta.get("parent_iteration_ids") or []
    order = place.whole(meta.get("trace_i"), "`trace_i`")
    accepted = meta.get("accepted") is True
    artifact = _components(folder / "components")
    return {
        "id": folder.name,
        "seed": seed,
        "index": 0 if seed and index is None else index,
        "order": -1 if seed or order is None else order,
        "accepted": accepted,
        "parents": [place.ident(each) for each in place.listing(parents, "the parents")],
        "artifact": artifact,
        "average": place.number(meta.get("avg_val_score"), "`avg_val_score`"),
        "scores": _val_scores(folder / "val_scores.json"),
        "proposal": Proposal(
            before=before,
            after=after,
            accepted=index if accepted else None,
            made=accepted or meta.get("subsample_scores_after") is not None,
            spent=len(before) + len(after),
            artifact=artifact,
        ),
    }


def _val_scores(path: Path) -> dict[str, tuple[float | None, str]]:
    if not path.is_file():
        return {}
    document = read_json(path)
    inner = document.get("scores") if isinstance(document, Mapping) else None
    return scores_by_id(
        inner if isinstance(inner, (Mapping, list)) else document,
        "the validation scores",
        Place(path=str(path)),
    )


def _components(folder: Path) -> str | None:
    """Return one hash over the component files."""
    if not folder.is_dir():
        return None
    texts = {
        str(each.relative_to(folder)): read_bytes(each).decode("utf-8", "replace")
        for each in sorted(folder.rglob("*"))
        if each.is_file()
    }
    return candidate_artifact(texts) if texts else None
