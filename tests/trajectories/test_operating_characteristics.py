"""Operating characteristics: enumeration against closed forms, simulation and recorded replays."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.comparisons.paired import compare_pairs
from evalkit.comparisons.power import power_paired_binary
from evalkit.comparisons.power_counts import gate_power
from evalkit.comparisons.sign_tests import mcnemar_exact
from evalkit.errors import ArgumentError
from evalkit.tally import tally_values
from evalkit.trajectories import (
    Candidate,
    EffectPrior,
    PairedGate,
    Run,
    aa_new_best,
    dead_band,
    lower_bound,
    non_decreasing,
    operating_characteristics,
    paired_gate_by_name,
    replay,
    sign_test,
    standard_errors,
    standard_gates,
    strict,
)
from evalkit.trajectories.operating_laws import (
    acceptance,
    cells_from_correlation,
    cells_from_discordance,
    pair_decisions,
)
from evalkit.trajectories.operating_runs import run_characteristics
from evalkit.trajectories.paired_gates import paired_counts

NOTHING_HELPS = EffectPrior(better=0.0, equal=1.0, worse=0.0)


def monte_carlo_run(gate, *, n, base, effect, correlation, rounds, prior, repeats, seed):
    """Simulate runs item by item, with the settled and open items written out."""
    rng = np.random.default_rng(seed)
    open_items = max(1, round((1 - correlation) * n))
    settled = round(base * (n - open_items))
    start = (base * n - settled) / open_items
    step = effect * n / open_items
    totals = {
        "acceptances": 0,
        "noise_acceptances": 0,
        "new_bests": 0,
        "noise_new_bests": 0,
        "any": 0,
        "tax": 0.0,
        "drift": 0.0,
        "gain": 0.0,
    }
    for _ in range(repeats):
        rate = best_rate = start
        held = rng.random(open_items) < rate
        best = int(held.sum())
        noisy = False
        for _ in range(rounds):
            u = rng.random()
            move = 1 if u < prior.better else -1 if u > 1 - prior.worse else 0
            new_rate = min(1.0, max(0.0, rate + move * step))
            new = rng.random(open_items) < new_rate
            count = int(new.sum())
            if isinstance(gate, PairedGate):
                accepted = gate.accepts(int((new & ~held).sum()), int((held & ~new).sum()), n)
            else:
                scores = [Fraction(settled + k, n) for k in (count, int(held.sum()), best)]
                accepted = gate(*scores)
            if not accepted:
                continue
            real = new_rate > rate + 1e-12
            totals["acceptances"] += 1
            totals["noise_acceptances"] += not real
            if count > best:
                totals["new_bests"] += 1
                totals["noise_new_bests"] += not real
                noisy |= not real
                best, best_rate = count, new_rate
            rate, held = new_rate, new
        totals["any"] += noisy
        totals["tax"] += (best - open_items * best_rate) / n
        totals["drift"] += (rate - start) * open_items / n
        totals["gain"] += (best_rate - start) * open_items / n
    return {name: total / repeats for name, total in totals.items()}


@pytest.mark.parametrize(
    ("gate", "correlation"),
    [
        (strict(), 0.0),
        (non_decreasing(), 0.5),
        (dead_band(Fraction(1, 10)), 0.3),
        (dead_band(Fraction(1, 10), reference="best"), 0.3),
        (standard_errors(1, n=20), 0.4),
        (sign_test(0.2, n=20), 0.4),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_runs_agree_with_simulation(gate, correlation):
    """Every expectation of a run lies within Monte Carlo error of an item-by-item simulation."""
    prior = EffectPrior(better=0.3, equal=0.4, worse=0.3)
    setting = {
        "n": 20,
        "base": 0.7,
        "effect": 0.1,
        "correlation": correlation,
        "rounds": 4,
        "prior": prior,
    }
    found = run_characteristics(gate, **setting)
    repeats = 1000
    seen = monte_carlo_run(gate, **setting, repeats=repeats, seed=3)
    exact = {
        "acceptances": found.acceptances,
        "noise_acceptances": found.noise_acceptances,
        "new_bests": found.new_bests,
        "noise_new_bests": found.noise_new_bests,
        "any": found.any_noise_new_best,
    }
    for name, value in exact.items():
        assert seen[name] == pytest.approx(value, abs=4.5 * math.sqrt((value + 0.05) / repeats))
    for name, value in (
        ("tax", found.tax),
        ("drift", found.drift),
        ("gain", found.best_gain),
    ):
        assert seen[name] == pytest.approx(value, abs=4.5 * 0.12 / math.sqrt(repeats))


@pytest.mark.parametrize(("n", "rate", "rounds"), [(10, 0.5, 3), (39, 0.75, 10), (25, 0.9, 6)])
def test_aa_run_is_the_closed_form(n, rate, rounds):
    """Without true effects and with independent items the strict gate's run is `aa_new_best`."""
    found = run_characteristics(
        strict(),
        n=n,
        base=rate,
        effect=0.05,
        correlation=0.0,
        rounds=rounds,
        prior=NOTHING_HELPS,
    )
    assert found.any_noise_new_best == pytest.approx(aa_new_best(n, rate, rounds=rounds), abs=1e-12)
    assert found.real_share == pytest.approx(0.0, abs=1e-12)
    assert found.drift == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("rule", ["strict", "non-decreasing"])
@pytest.mark.parametrize("n", [39, 200])
def test_decisions_match_gate_power(rule, n):
    """Independent counts, and paired ones of a known discordance, are those of `gate_power`."""
    gate = strict() if rule == "strict" else non_decreasing()
    free = operating_characteristics(gate, n=n, base=0.7, effect=0.05)
    paired = operating_characteristics(gate, n=n, base=0.7, effect=0.05, discordance=0.2)
    for candidate, one, other in (
        (0.75, free.better, paired.better),
        (0.7, free.equal, paired.equal),
        (0.65, free.worse, paired.worse),
    ):
        rates = {"parent_rate": 0.7, "candidate_rate": candidate}
        assert one == pytest.approx(gate_power(n, **rates, gate=rule).power, abs=1e-10)
        same = gate_power(n, **rates, gate=rule, discordance=0.2)
        assert other == pytest.approx(same.power, abs=1e-10)


def test_lower_bound_gate_has_the_power_of_the_comparison():
    """At no effect the lower-bound gate accepts half as often as the two-sided interval decides."""
    cells = cells_from_discordance(0.7, 0.0, 0.2)
    two_sided = power_paired_binary(60, effect=0.0, discordance=0.2).power
    assert acceptance(lower_bound(n=60), 60, cells) == pytest.approx(two_sided / 2, rel=1e-9)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 20))
def test_lower_bound_gate_is_the_interval_of_compare(wins, losses, ties):
    """The gate accepts exactly when the augmented-t interval of the same pairs lies above 0."""
    n = wins + losses + ties
    if n < 2:
        return
    differences = tally_values([1] * wins + [-1] * losses + [0] * ties)
    interval = compare_pairs(differences, method="augmented-t").interval
    assert lower_bound(n=n).accepts(wins, losses, n) == (interval.low > 0)


@given(st.integers(0, 15), st.integers(0, 15))
def test_sign_test_gate_is_half_of_mcnemar(wins, losses):
    """A one-sided sign test at 5 % is McNemar's exact test at 10 % in the right direction."""
    accepted = sign_test(0.05, n=40).accepts(wins, losses, 40)
    assert accepted == (wins > losses and mcnemar_exact(wins, losses) <= 0.1 + 1e-12)


@given(
    st.integers(1, 30).flatmap(
        lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(0, n))
    )
)
def test_scores_alone_give_the_least_favourable_pairing(found):
    """What a paired gate accepts from two scores it accepts under every pairing of the items."""
    n, passed, held = found
    for gate in (standard_errors(1, n=n), sign_test(0.1, n=n), lower_bound(n=n, level=0.8)):
        alone = gate(Fraction(passed, n), Fraction(held, n), Fraction(held, n))
        pairings = [
            gate.accepts(passed - both, held - both, n)
            for both in range(max(0, passed + held - n), min(passed, held) + 1)
        ]
        assert alone == all(pairings)


def test_paired_counts_keep_the_scores():
    """Wins less losses is the difference of the counts, with any stated discordance."""
    assert paired_counts(0.75, 0.5, 4) == (2, 1)
    assert paired_counts(0.5, 0.75, 4, 0.25) == (0, 1)
    assert paired_counts(0.5, 0.5, 4, 0.0) == (0, 0)
    wins, losses = paired_counts(Fraction(61, 120), Fraction(1, 2), 60)
    assert wins - losses == 0 or wins > losses
    with pytest.raises(ArgumentError, match="divide percentages by 100"):
        paired_counts(75.0, 50.0, 4)


def test_paired_gates_replay_recorded_runs():
    """A gate that asks for evidence replays a history of scores; a small gain is rejected."""
    scores = (Fraction(20, 39), Fraction(21, 39), Fraction(35, 39))
    run = Run(
        baseline=scores[0],
        candidates=tuple(Candidate(round=k, score=s) for k, s in enumerate(scores[1:], 1)),
    )
    found = replay(run, gate=sign_test(0.05, n=39))
    assert found.gate == "sign test 0.05"
    assert [step.incumbent_round for step in found.steps] == [0, 2]


@given(
    st.floats(0.05, 0.95),
    st.floats(-0.05, 0.05),
    st.floats(0, 0.3),
)
def test_cells_have_the_wanted_margins(base, effect, correlation):
    """The four cells add up to 1, have both rates, and the correlation asked for."""
    try:
        cells = cells_from_correlation(base, effect, correlation)
    except ArgumentError:
        rate = base + effect
        bound = (min(base, rate) - base * rate) / math.sqrt(
            max(1e-300, base * (1 - base) * rate * (1 - rate))
        )
        assert not 0 <= rate <= 1 or correlation > bound - 1e-6
        return
    assert cells.both + cells.win + cells.loss + cells.neither == pytest.approx(1)
    assert cells.both + cells.loss == pytest.approx(base)
    rate = cells.both + cells.win
    assert rate == pytest.approx(min(1.0, max(0.0, base + effect)))
    spread = math.sqrt(base * (1 - base) * rate * (1 - rate))
    assert cells.both - base * rate == pytest.approx(correlation * spread, abs=1e-9)


def test_enumeration_agrees_with_multinomial_sampling():
    """A paired gate's acceptance lies within Monte Carlo error of multinomial draws."""
    cells = cells_from_discordance(0.7, 0.08, 0.25)
    gate = standard_errors(1, n=39)
    draws = np.random.default_rng(5).multinomial(
        39, [cells.both, cells.win, cells.loss, cells.neither], size=20_000
    )
    share = np.mean([gate.accepts(int(w), int(l), 39) for _, w, l, _ in draws])
    assert share == pytest.approx(acceptance(gate, 39, cells), abs=4.5 * math.sqrt(0.25 / 20_000))


def test_pairing_of_open_items_is_hypergeometric():
    """With 2 of 3 and 1 of 3 open successes the overlap is 1 with chance 2/3, so wins are 1."""
    gate = standard_errors(0.0, n=3)
    assert pair_decisions(gate, 3, open_items=3)[1, 2] == pytest.approx(1.0)
    ask = sign_test(0.5, n=3)  # one win without a loss has p = 1/2; two of three p = 1/2
    assert pair_decisions(ask, 3, open_items=3)[1, 2] == pytest.approx(1.0)
    sure = sign_test(0.49, n=3)  # neither is enough
    assert pair_decisions(sure, 3, open_items=3)[1, 2] == pytest.approx(0.0)


@pytest.mark.parametrize("n", [1, 7, 39])
def test_better_is_accepted_more_often_than_worse(n):
    """Every gate orders the three candidates, at any number of items."""
    for gate in standard_gates(n):
        found = operating_characteristics(gate, n=n, base=0.6, effect=0.1, correlation=0.2)
        assert found.better >= found.equal - 1e-12 >= found.worse - 2e-12
        assert 0 <= found.run.any_noise_new_best <= 1


def test_more_items_help_a_demanding_gate():
    """At n = 200 a sign test finds more and its new bests are more often real than at n = 39."""
    small, large = (
        operating_characteristics(
            sign_test(n=n), n=n, base=0.75, effect=0.05, correlation=0.5, rounds=5
        )
        for n in (39, 200)
    )
    assert large.better > 4 * small.better
    assert large.equal <= 0.05
    assert large.run.real_share > small.run.real_share


def test_dead_band_narrower_than_an_item_is_non_decreasing():
    """At n = 39 one item is worth .0256, so a band of .02 tolerates nothing."""
    band, plain = (
        operating_characteristics(gate, n=39, base=0.75, effect=0.05)
        for gate in (dead_band(0.02), non_decreasing())
    )
    assert band.equal == plain.equal
    assert band.run == plain.run


def test_discordance_and_correlation_are_one_setting():
    """A discordance of 2 p (1 - p) (1 - r) means a correlation of r."""
    found = operating_characteristics(strict(), n=20, base=0.5, effect=0.05, discordance=0.25)
    assert found.correlation == pytest.approx(0.5)
    assert found.discordance == pytest.approx(0.25)
    again = operating_characteristics(strict(), n=20, base=0.5, effect=0.05, correlation=0.5)
    assert again.equal == pytest.approx(found.equal)
    assert again.run == found.run


def test_a_ceiling_leaves_no_room():
    """Where the open items are all solved, a better candidate is no better and counts as noise."""
    found = run_characteristics(
        non_decreasing(),
        n=4,
        base=0.75,
        effect=0.25,
        correlation=0.0,
        rounds=3,
        prior=EffectPrior(better=1.0, equal=0.0, worse=0.0),
    )
    assert found.drift <= 0.25 + 1e-12
    assert 0 < found.noise_acceptances < found.acceptances


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n": 0}, "`n`"),
        ({"base": 0.0}, "`base`"),
        ({"base": float("nan")}, "`base`"),
        ({"effect": 0.0}, "`effect`"),
        ({"effect": 0.4}, "`effect`"),
        ({"rounds": 0}, "`rounds`"),
        ({"discordance": 0.2, "correlation": 0.1}, "exclude"),
        ({"discordance": 0.01}, "`discordance`"),
        ({"correlation": 1.0}, "`correlation`"),
        ({"correlation": -0.2}, "correlation"),
    ],
)
def test_wrong_settings_are_named(settings, message):
    """Every impossible setting is refused with its name."""
    good = {"n": 10, "base": 0.7, "effect": 0.05}
    with pytest.raises(ArgumentError, match=message):
        operating_characteristics(strict(), **{**good, **settings})


def test_wrong_gates_are_named():
    """Gates refuse settings out of range, and a prior must add up to 1."""
    for make in (
        lambda: standard_errors(-1, n=3),
        lambda: standard_errors(1, n=0),
        lambda: sign_test(0.0, n=3),
        lambda: lower_bound(n=3, level=1.0),
        lambda: lower_bound(n=3, margin=-0.1),
        lambda: sign_test(n=3, discordance=1.5),
        lambda: EffectPrior(better=0.5, equal=0.5, worse=0.5),
    ):
        with pytest.raises(ArgumentError):
            make()


def test_gates_have_names():
    """The three paired gates are made from a name; anything else is refused with the choices."""
    assert paired_gate_by_name("se:2", n=9) == standard_errors(2.0, n=9)
    assert paired_gate_by_name("sign-test:0.1", n=9) == sign_test(0.1, n=9)
    assert paired_gate_by_name("lower-bound:0.9", n=9) == lower_bound(level=0.9, n=9)
    for wrong in ("se", "se:x", "strict", "sign-test:", "lower-bound:nan:1", "", "se:nan"):
        with pytest.raises(ArgumentError):
            paired_gate_by_name(wrong, n=9)


def test_results_are_strict_json():
    """A gate that never sets a new best has an undefined real share, not NaN."""
    found = operating_characteristics(lower_bound(n=2), n=2, base=0.5, effect=0.1)
    assert found.run.real_share is None
    assert found.to_dict()["run"]["real_share"] is None
