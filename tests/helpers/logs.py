"""Small logs of every format, written the way the tools write them."""

from __future__ import annotations

import json
import pickle
import struct
import zlib
from pathlib import Path

SKILL = ("base skill", "first candidate", "second candidate")


def save(path: Path, value) -> Path:
    """Write text, bytes, a JSON document, or with ``.jsonl`` a list of rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(value, bytes):
        path.write_bytes(value)
    elif isinstance(value, str):
        path.write_text(value, encoding="utf-8")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in value), encoding="utf-8")
    else:
        path.write_text(json.dumps(value), encoding="utf-8")
    return path


def results(*scores, **columns):
    """Rows of a results.jsonl, items q1, q2, ..."""
    return [
        {"id": f"q{i}", "hard": s, "soft": s, "phase": "eval", "fail_reason": "", **columns}
        for i, s in enumerate(scores, 1)
    ]


def step_record(number, action, score=None, current=0.5, best=0.5, **fields):
    """One record of SkillOpt's history."""
    record = {
        "step": number,
        "epoch": 1,
        "action": action,
        "current_score": current,
        "best_score": best,
        "current_origin": "baseline",
        "rollout_hard": 0.5,
    }
    if not action.startswith("skip"):
        record |= {
            "candidate_hash": f"hash{number}",
            "selection_hard": score,
            "selection_soft": score,
            "gate_metric": "hard",
            "candidate_gate_score": score,
        }
    return record | fields


def skillopt(root: Path) -> Path:
    """Write a run: baseline .5, reject, new best, skip, reject; one item of step 1 timed out."""
    save(root / "config.json", {"env": "demo"})
    save(
        root / "history.json",
        [
            step_record(1, "reject", 0.25),
            step_record(2, "accept_new_best", 0.75, 0.75, 0.75, current_origin="step_0002"),
            step_record(3, "skip_no_patches", current=0.75, best=0.75),
            step_record(4, "reject", 0.75, 0.75, 0.75),
        ],
    )
    save(
        root / "summary.json",
        {
            "version": "skillopt-0.1.0",
            "baseline_selection_hard": 0.5,
            "best_selection_hard": 0.75,
            "final_selection_hard": 0.75,
            "best_step": 2,
            "best_origin": "step_0002",
            "total_accepts": 1,
        },
    )
    save(root / "skills" / "skill_v0000.md", SKILL[0])
    save(root / "selection_eval_baseline" / "results.jsonl", results(1, 1, 0, 0))
    late = results(1, 0, 0, 0)
    late[3] |= {"phase": "timeout", "fail_reason": "task-timeout-600s"}
    save(root / "steps" / "step_0001" / "selection_eval" / "results.jsonl", late)
    save(root / "steps" / "step_0002" / "selection_eval" / "results.jsonl", results(1, 1, 1, 0))
    save(root / "steps" / "step_0004" / "selection_eval" / "results.jsonl", results(1, 1, 0, 1))
    test = [{**row, "id": f"t{row['id']}"} for row in results(1, 0, 1)]
    save(root / "test_eval" / "results.jsonl", test)
    return root


def evaluation(folder: Path, split: str, *scores) -> None:
    """One SkillOpt-Lite evaluation run."""
    rows = results(*scores)
    save(folder / "results.jsonl", rows)
    hard = sum(scores) / len(scores)
    summary = {"skill": "workspace/skill.md", "split": split, "n_items": len(rows)}
    save(folder / "eval_summary.json", {**summary, "hard": hard, "soft": hard})


def skillopt_lite(root: Path) -> Path:
    """Three rounds: new best, null, rejected; runs in the windows, one of them superseded."""
    history = root / ".skillopt" / "history"
    snapshots = {
        "round1__20310101_100000__before": SKILL[0],
        "round1__20310101_101000__after": SKILL[1],
        "round1__20310101_101500__best": SKILL[1],
        "round2__20310101_110000__before": SKILL[1],
        "round2__20310101_111000__after": SKILL[1],
        "round3__20310101_120000__before": SKILL[1],
        "round3__20310101_121000__after": SKILL[2],
    }
    for name, text in snapshots.items():
        save(history / f"{name}.md", text)
    save(root / "skill.md", SKILL[1])
    runs = root / ".skillopt" / "_eval_run"
    evaluation(runs / "20310101_095000", "val", 1, 0, 0, 0)
    evaluation(runs / "20310101_101100", "val", 1, 0, 1, 0)
    evaluation(runs / "20310101_101200", "val", 1, 1, 1, 0)
    evaluation(runs / "20310101_111100", "val", 1, 1, 0, 0)
    evaluation(runs / "20310101_121100", "val", 0, 0, 0, 0)
    return root


TRACE = [
    {
        "i": 0,
        "selected_program_candidate": 0,
        "subsample_ids": [0, 1, 2],
        "subsample_scores": [1.0, 0.0, 0.0],
        "new_subsample_scores": [0.0, 0.0, 0.0],
    },
    {
        "i": 1,
        "selected_program_candidate": 0,
        "subsample_ids": [1, 2, 3],
        "subsample_scores": [0.0, 0.0, 1.0],
        "new_subsample_scores": [1.0, 1.0, 1.0],
        "new_program_idx": 1,
        "evaluated_val_indices": [0, 1, 2, 3],
    },
    {"i": 2, "selected_program_candidate": 1, "subsample_ids": [0], "subsample_scores": [1.0]},
]


def gepa_state() -> dict:
    """State of a run with a seed at .5 and one accepted candidate at .75."""
    return {
        "program_candidates": [{"prompt": "a"}, {"prompt": "b"}],
        "parent_program_for_candidate": [[None], [0]],
        "prog_candidate_val_subscores": [
            {0: 1.0, 1: 1.0, 2: 0.0, 3: 0.0},
            {0: 1.0, 1: 1.0, 2: 1.0, 3: 0.0},
        ],
        "prog_candidate_objective_scores": [{}, {}],
        "pareto_front_valset": {0: 1.0},
        "program_at_pareto_front_valset": {0: {0, 1}},
        "num_metric_calls_by_discovery": [0, 10],
        "full_program_trace": TRACE,
        "best_outputs_valset": None,
        "validation_schema_version": 5,
        "evaluation_cache": None,
        "num_full_ds_evals": 2,
        "total_num_evals": 21,
        "i": 2,
    }


def gepa(root: Path) -> Path:
    """Write a run folder of the version that keeps item scores in the pickle only."""
    save(root / "gepa_state.bin", pickle.dumps(gepa_state()))
    save(root / "run_log.json", TRACE)
    save(root / "candidates.json", [{"prompt": "a"}, {"prompt": "b"}])
    return root


def gepa_result(path: Path) -> Path:
    """``GEPAResult.to_dict()``: integer ids have become text."""
    return save(
        path,
        {
            "candidates": [{"prompt": "a"}, {"prompt": "b"}],
            "parents": [[None], [0]],
            "val_aggregate_scores": [0.5, 0.75],
            "val_subscores": [
                {"0": 1.0, "1": 1.0, "2": 0.0, "3": 0.0},
                {"0": 1.0, "1": 1.0, "2": 1.0, "3": 0.0},
            ],
            "total_metric_calls": 21,
            "best_idx": 1,
            "seed": 0,
            "validation_schema_version": 2,
        },
    )


def gepa_iterations(root: Path) -> Path:
    """Write a run folder of the version with one folder an iteration."""
    tree = root / "iterations"
    base = {"subsample_ids": [0, 1], "num_val_scored": 4}
    save(
        tree / "seed" / "meta.json",
        {"iteration_id": "seed", "trace_i": -1, "accepted": True, "candidate_idx": 0},
    )
    save(tree / "seed" / "val_scores.json", {"0": 1.0, "1": 1.0, "2": 0.0, "3": 0.0})
    save(
        tree / "0a0a0a0a" / "meta.json",
        {
            **base,
            "iteration_id": "0a0a0a0a",
            "trace_i": 0,
            "accepted": False,
            "parent_iteration_ids": ["seed"],
            "candidate_idx": None,
            "subsample_scores_before": [1.0, 0.0],
            "subsample_scores_after": [0.0, 0.0],
        },
    )
    save(
        tree / "1b1b1b1b" / "meta.json",
        {
            **base,
            "iteration_id": "1b1b1b1b",
            "trace_i": 1,
            "accepted": True,
            "parent_iteration_ids": ["seed"],
            "candidate_idx": 1,
            "subsample_scores_before": [0.0, 0.0],
            "subsample_scores_after": [1.0, 0.0],
            "avg_val_score": 0.75,
        },
    )
    save(tree / "1b1b1b1b" / "val_scores.json", {"0": 1.0, "1": 1.0, "2": 1.0, "3": 0.0})
    save(root / "gepa_state.json", {"iteration": 2, "total_metric_calls": 16})
    return root


def tau_old(path: Path) -> Path:
    """Write the first tau-bench's list: three tasks, two trials; one trial crashed."""
    rows = []
    for task, rewards in enumerate(((1.0, 1.0), (1.0, 0.0), (0.0, 0.0))):
        for trial, reward in enumerate(rewards):
            rows.append({"task_id": task, "reward": reward, "info": {}, "traj": [], "trial": trial})
    rows[-1]["info"] = {"error": "429 too many requests", "traceback": "..."}
    return save(path, rows)


def tau2_document() -> dict:
    """Return a tau2 document: two tasks, two trials, one lost to infrastructure, one never run."""
    return {
        "timestamp": "2031-03-01T10:00:00",
        "info": {
            "git_commit": "abc",
            "num_trials": 2,
            "agent_info": {"implementation": "llm_agent", "llm": "model-x"},
            "user_info": {"llm": "model-u"},
            "environment_info": {"domain_name": "airline"},
            "seed": 300,
        },
        "tasks": [{"id": "0"}, {"id": "1"}],
        "simulations": [
            simulation("s0", "0", 0, 1.0, "agent_stop"),
            simulation("s1", "0", 1, 0.9999999, "user_stop"),
            simulation("s2", "1", 0, 0.0, "infrastructure_error"),
        ],
    }


def simulation(ident, task, trial, reward, end):
    """One tau2 run."""
    return {
        "id": ident,
        "task_id": task,
        "trial": trial,
        "termination_reason": end,
        "agent_cost": 0.1,
        "duration": 3.5,
        "reward_info": {"reward": reward, "reward_basis": ["DB"]},
        "messages": [],
    }


def tau2(path: Path) -> Path:
    """Write the one-file form."""
    return save(path, tau2_document())


def tau2_folder(root: Path) -> Path:
    """Write the folder form: the last run stands in the index only."""
    document = tau2_document()
    simulations = document.pop("simulations")
    document["simulations"] = []
    document["simulation_index"] = [
        {
            "id": each["id"],
            "task_id": each["task_id"],
            "trial": each["trial"],
            "reward": each["reward_info"]["reward"],
            "termination_reason": each["termination_reason"],
        }
        for each in simulations
    ]
    save(root / "results.json", document)
    for each in simulations[:2]:
        save(root / "simulations" / f"{each['id']}.json", each)
    return root


def cap_report() -> dict:
    """Return the seed's evaluation: one trial of task c was lost."""
    lost = {"errored": True, "errored_trials": 1, "n_trials": 2}
    return {
        "split": "val",
        "reward": 0.5,
        "pass_k": {"1": 0.5, "2": None},
        "per_task": [
            {"task_id": "b", "reward": 1.0, "n": 1, "trial_rewards": [1.0], "raw": {}},
            {"task_id": "c", "reward": 0.0, "n": 1, "trial_rewards": [0.0], "raw": lost},
        ],
    }


def cap_evolve(root: Path) -> Path:
    """Write a run: seed .5, accepted .75, indecisive, rejected."""
    save(root / "state.json", {"best_id": "cand_0001", "budget": {}, "spent": {}})
    save(
        root / "events.jsonl",
        [
            {"kind": "splits", "train": 2, "val": 2, "test": 2},
            {"kind": "baseline", "val": 0.5, "stderr": 0.2},
            {"kind": "step", "candidate": "cand_0001", "accept": True, "reason": "ok", "val": 0.75},
            {
                "kind": "step",
                "candidate": "cand_0002",
                "accept": False,
                "reason": "indecisive: within noise",
                "val": 0.75,
            },
            {"kind": "gate_warning", "reason": "small SE"},
            {"kind": "step", "candidate": "cand_0003", "accept": False, "reason": "w", "val": 0.25},
        ],
    )
    save(root / "splits.json", {"train": ["a", "b"], "val": ["b", "c"], "test": ["d"], "seed": 0})
    save(root / "baseline.json", {"val": cap_report(), "best_id": "seed"})
    test = {"split": "test", "reward": 1.0, "per_task": [{"task_id": "d", "trial_rewards": [1.0]}]}
    base = {"split": "test", "reward": 0.0, "per_task": [{"task_id": "d", "trial_rewards": [0.0]}]}
    ids = {"best_id": "cand_0001", "baseline_id": "seed"}
    save(root / "final.json", {"test": test, "test_baseline": base, **ids})
    for candidate, scores in {"cand_0001": (1.0, 0.5), "cand_0003": (0.5, 0.0)}.items():
        for task, reward in zip("bc", scores, strict=True):
            save(
                root / "rollouts" / "val" / f"{task}__{candidate}__t0.json",
                {
                    "rollout": {"error": ""},
                    "score": {"task_id": task, "reward": reward, "metrics": [], "raw": {}},
                },
            )
    lost = {"rollout": {"error": "529 overloaded"}, "score": {"task_id": "c", "reward": 0.0}}
    save(root / "rollouts" / "val" / "c__cand_0003__t1.json", lost)
    return root


def inspect_samples() -> list[dict]:
    """Three samples in two epochs; one crashed, one has no score, one has several values."""
    made = []
    for epoch in (1, 2):
        for ident, value in ((1, "C"), ("two", "I"), (3, "P")):
            made.append(
                {
                    "id": ident,
                    "epoch": epoch,
                    "input": "q",
                    "target": "t",
                    "scores": {
                        "match": {"value": value, "answer": "t", "history": []},
                        "rubric": {"value": {"style": 0.5, "facts": 1}},
                    },
                    "metadata": {"repo": "r1", "tags": ["x"]},
                }
            )
    made[1] = {"id": "two", "epoch": 1, "error": {"message": "RateLimitError"}, "scores": None}
    made[4]["scores"]["match"]["value"] = float("nan")
    return made


def inspect_header(status="success") -> dict:
    """Header of the log."""
    return {
        "version": 2,
        "status": status,
        "eval": {
            "run_id": "r",
            "task": "demo",
            "model": "provider/model",
            "dataset": {"samples": 4, "sample_ids": [1, "two", 3, 4]},
            "config": {"epochs": 2},
        },
        "plan": {},
        "results": {
            "scores": [
                {
                    "name": "match",
                    "scorer": "match",
                    "metrics": {
                        "accuracy": {"name": "accuracy", "value": 0.7},
                        "stderr": {"name": "stderr", "value": "N/A"},
                    },
                }
            ]
        },
        "stats": {},
    }


def inspect_members() -> dict[str, bytes]:
    """Members of the archive form."""
    header = inspect_header()
    members = {"_journal/start.json": {"version": 2, "eval": header["eval"], "plan": {}}}
    members |= {f"samples/{s['id']}_epoch_{s['epoch']}.json": s for s in inspect_samples()}
    members["header.json"] = header
    return {name: json.dumps(value).encode() for name, value in members.items()}


def zip_bytes(members: dict[str, bytes], *, method: int = 93, packed=None) -> bytes:
    """Build a zip archive with any compression method; `packed` overrides what is stored."""
    import zstandard

    def pack(data: bytes) -> bytes:
        if method == 93:
            return zstandard.ZstdCompressor().compress(data)
        if method == 8:
            engine = zlib.compressobj(wbits=-15)
            return engine.compress(data) + engine.flush()
        return data

    body, directory = b"", b""
    for name, data in members.items():
        raw, stored = name.encode(), (packed or {}).get(name) or pack(data)
        common = struct.pack(
            "<5H3I2H", 20, 0, method, 0, 33, zlib.crc32(data), len(stored), len(data), len(raw), 0
        )
        directory += struct.pack("<4sH", b"PK\x01\x02", 20) + common
        directory += struct.pack("<3H2I", 0, 0, 0, 0, len(body)) + raw
        body += b"PK\x03\x04" + common + raw + stored
    end = struct.pack(
        "<4s4H2IH", b"PK\x05\x06", 0, 0, len(members), len(members), len(directory), len(body), 0
    )
    return body + directory + end


def inspect_eval(path: Path, *, method: int = 93) -> Path:
    """Write the archive form."""
    return save(path, zip_bytes(inspect_members(), method=method))


def inspect_json(path: Path) -> Path:
    """Write the one-file form."""
    return save(path, {**inspect_header(), "samples": inspect_samples()})


def plain_csv(path: Path) -> Path:
    """Write a table with a column for each system."""
    return save(path, "id,base_correct,new_correct,topic\n007,1,0,x\n7,1,1,y\n8,0,1,y\n")


LOGS = {
    "skillopt": lambda folder: skillopt(folder / "run"),
    "skillopt-lite": lambda folder: skillopt_lite(folder / "workspace"),
    "gepa": lambda folder: gepa(folder / "run"),
    "gepa-state": lambda folder: save(folder / "gepa_state.bin", pickle.dumps(gepa_state())),
    "gepa-result": lambda folder: gepa_result(folder / "result.json"),
    "gepa-iterations": lambda folder: gepa_iterations(folder / "run"),
    "tau-bench": lambda folder: tau_old(folder / "old.json"),
    "tau2": lambda folder: tau2(folder / "results.json"),
    "tau2-folder": lambda folder: tau2_folder(folder / "run"),
    "cap-evolve": lambda folder: cap_evolve(folder / "run"),
    "inspect": lambda folder: inspect_eval(folder / "log.eval"),
    "inspect-json": lambda folder: inspect_json(folder / "log.json"),
    "plain": lambda folder: plain_csv(folder / "table.csv"),
}
"""Name -> writer of a small log into a folder."""
FORMAT_OF = {
    "gepa-state": "gepa",
    "gepa-result": "gepa",
    "gepa-iterations": "gepa",
    "tau2": "tau-bench",
    "tau2-folder": "tau-bench",
    "inspect-json": "inspect",
}
"""Names of the formats, where the log has another."""
