"""Smoke test of an installed wheel; run away from the checkout."""

import json
import subprocess
import sys
from pathlib import Path

import evalkit

HERE = Path(__file__).parent
COMMAND = Path(sys.executable).parent / "evalkit"
LOOP = """
[experiment]
name = "smoke"
loop = "duet"
rounds = 4
seeds = [0]
[environment]
kind = "simulation"
train = 8
validation = 8
test = 8
[duet]
batch = 4
"""


def run(*arguments: str) -> str:
    """Run the installed command and return its output."""
    return subprocess.run(
        [COMMAND, *arguments], check=True, capture_output=True, text=True, cwd=HERE
    ).stdout


def main() -> None:
    """Estimate, compare, audit, reproduce and run a loop with nothing but the wheel."""
    if Path(evalkit.__file__).is_relative_to(HERE / "evalkit"):
        raise SystemExit("the checkout was imported, not the wheel")
    for name, scores in (("a", (0, 0, 1, 0)), ("b", (1, 1, 1, 0))):
        rows = [{"system": name, "item": f"q{i}", "score": s} for i, s in enumerate(scores)]
        (HERE / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    estimate = json.loads(run("estimate", "a.jsonl", "--format", "json"))["results"][0]
    comparison = json.loads(run("compare", "a.jsonl", "b.jsonl", "--format", "json"))["results"][0]
    if estimate["n"] != 4 or comparison["difference"] != 0.5:
        raise SystemExit(f"wrong numbers: {estimate} {comparison}")
    (HERE / "table.csv").write_text("system,n,seeds,accuracy\na,120,3,80.3\nb,120,3,82.0\n")
    audited = json.loads(run("audit", "table.csv", "--format", "json"))
    if audited["findings"] != 1:
        raise SystemExit(f"wrong audit: {audited}")
    (HERE / "loop.toml").write_text(LOOP)
    run("run", "loop.toml", "-o", "out")
    accounts = json.loads(run("trajectory", "out", "--format", "json"))["results"][0]
    if not accounts["candidates"] or not (HERE / "out/report/index.html").is_file():
        raise SystemExit(f"wrong loop: {accounts}")
    summary = run("reproduce")
    if "reported numbers" not in summary:
        raise SystemExit(summary)
    sys.stdout.write("smoke test: the wheel estimates, compares, audits, runs and reproduces\n")


if __name__ == "__main__":
    main()
