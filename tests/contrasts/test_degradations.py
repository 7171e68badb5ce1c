"""Degradations change what they declare, by oracles that do not read the profile."""

import json
import unicodedata
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.contrasts import DEGRADATIONS, Degradation, Degraded, Edit, NotApplicable, degrade
from evalkit.contrasts.profile import read_response
from evalkit.contrasts.relations import relation_holds, violations

REPORT = """# Plan for the garden

The soil needs lime [1]. It rose 12 % last year (Smith et al., 2020). You should water it daily.
The cost is 1,250.50 dollars, as [the shop](https://example.org/p?x=12) says.

1. Dig the bed.
2. Add compost, about 3 buckets.
3. Plant the seeds.

- Keep it moist
- Remove the weeds
- Watch for snails

| a | b |
|---|---|
| x | y |

```python
x = 3
```
"""
SAMPLES = {
    "report": REPORT,
    "crlf": "The plan is good.\r\nIt is cheap.\r\n\r\n1. Go to the shop\r\n2. Buy the bread\r\n",
    "chinese": "这座城市很大。它有许多公园。人口约为2,150万人。交通非常方便[1]。",
    "arabic": "المدينة كبيرة. تبلغ النسبة ٤٥٪ من السكان. الطقس جميل في الشتاء والناس طيبون جدا.",
    "hindi": "यह शहर बहुत बड़ा है। इसमें कई सुंदर बगीचे हैं। लोग मिलनसार हैं।",
    "emoji": "👩‍👩‍👧 🎉 yes! The party is at home 🎈. We bring the cake, and you the tea.",
    "json": '{"a": 12, "b": ["x", "y"]}',
    "open fence": "Here is the code:\n\n```python\nprint(12)\n",
    "german": "Die Katze sitzt auf dem Dach. Sie wartet auf 3 Vögel. Das Wetter ist schön.",
    "one word": "Paris",
}
PIECES = (
    "The soil needs lime [1].",
    "It rose 12.5 % (Smith et al., 2020).",
    "You should water the bed daily!",
    "It is 1,250 m long; e.g. here.",
    "这座城市很大。它有45个公园。",
    "المدينة كبيرة جدا.",
    "🎉 👩‍👩‍👧",
    "`x = 3`",
    "# Title",
    "## Part 2",
    "- keep it moist\n- remove the weeds\n- watch for snails",
    "1. Dig the bed.\n2. Add 3 buckets.\n3. Plant the seeds.",
    "```\ncode 12 [1]\n```",
    "```",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "[1] Smith, A title, 2020.",
    "See https://example.org/12, version 1.2.3 of 2021-03-04.",
    "\u200f\u00a0",
    "a\x0bb\u2028c\x85d",
)
TEXTS = st.lists(
    st.tuples(st.sampled_from(PIECES), st.sampled_from((" ", "\n", "\n\n", "\r\n\r\n"))), max_size=9
).map(lambda parts: "".join(a + b for a, b in parts)) | st.text(max_size=60)


def letters(text: str) -> str:
    """Letters and digits alone."""
    return "".join(char for char in text if char.isalnum())


def gap(longer: str, shorter: str) -> str | None:
    """Return the one run that `longer` has more than `shorter`; None if it is no single run."""
    extra = len(longer) - len(shorter)
    head = next((i for i, (a, b) in enumerate(zip(longer, shorter, strict=False)) if a != b), None)
    head = len(shorter) if head is None else head
    return (
        longer[head : head + extra] if longer[:head] + longer[head + extra :] == shorter else None
    )


def check_by_characters(name: str, base: str, text: str) -> None:
    """Compare characters: what a transform may do to a text, whatever its parts are."""
    if name == "truncate":
        assert base.startswith(text)
        assert 0 < len(text) < len(base)
    elif name in ("contradict", "unsupported-claim", "pad"):
        run = gap("".join(text.split()), "".join(base.split()))
        assert run
        if name == "pad":
            assert set(text[len(base.rstrip()) :]) <= {*base, "\r", "\n", " "}
    elif name in ("drop-requirement", "drop-citation"):
        assert len(text) < len(base)
        left = Counter(base) - Counter(text)
        assert all(char.isdecimal() for char in Counter(text) - Counter(base))
        assert left
    elif name == "alter-number":
        spots = [(a, b) for a, b in zip(base, text, strict=False) if a != b]
        same = len(base) == len(text)
        assert (same and len(spots) == 1 and spots[0][1].isdecimal()) or "100" in base
    elif name == "reorder-steps":
        assert Counter(letters(base)) == Counter(letters(text))
    else:
        # Labels of items are marks; every other letter and digit stays in its order.
        assert letters(base) == letters(text)
        assert len(text) < len(base) + base.count("\n")


@settings(max_examples=60, deadline=None)
@given(text=TEXTS, seed=st.integers(0, 3))
def test_every_degradation_of_any_text_is_clean_or_refused(text, seed):
    """The result differs as declared and in nothing else, is reproducible, or has a reason."""
    for name, degradation in DEGRADATIONS.items():
        found = degrade(text, degradation, task="water the bed", seed=seed)
        assert found == degrade(text, degradation, task="water the bed", seed=seed)
        if isinstance(found, NotApplicable):
            assert found.reason
            continue
        assert found.text != text
        assert found.family == name
        assert found.changed
        base, other = read_response(text).profile, read_response(found.text).profile
        assert violations(base, other, degradation.declares) == ()
        check_by_characters(name, text, found.text)


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("name", DEGRADATIONS)
def test_samples_keep_their_other_properties(name, sample):
    """Character by character, no sample is changed beyond what the family is about."""
    found = degrade(SAMPLES[sample], DEGRADATIONS[name])
    if isinstance(found, Degraded):
        check_by_characters(name, SAMPLES[sample], found.text)


def test_the_report_takes_every_degradation():
    """A text with all features has a contrast in each family, with these details."""
    details = {n: degrade(REPORT, d) for n, d in DEGRADATIONS.items()}
    assert all(isinstance(found, Degraded) for found in details.values())
    changed = {n: found.changed for n, found in details.items()}
    assert changed["drop-citation"] == ("citations",)
    assert changed["alter-number"] == ("numbers",)
    assert changed["break-format"] == ("format",)
    assert changed["reorder-steps"][0] == "steps"
    assert "numbers" not in changed["drop-requirement"]
    assert details["contradict"].text.count("is false.") == 1


def test_dates_citations_urls_code_and_labels_are_not_quantities():
    """Only quantities are altered; digits of any script are."""
    text = (
        "1. On 2021-03-04 and May 5, v1.2.3 [12] (Lee, 2020) https://x.org/77 `n=8` rose at 12:30 "
        "by GPT-4, 007, in 1999 第3章 2021年5月 5️⃣.\n2. more"
    )
    assert read_response(text).profile.numbers == ()
    plain = "It cost $1,250.50, rose ٤٥٪ and 30 %, 有20个, 0.05 and -4."
    assert read_response(plain).profile.numbers == ("1,250.50", "٤٥٪", "30 %", "20", "0.05")


@pytest.mark.parametrize(
    "text", ["It is 100 %.", "It is 100%.", "It is \u0661\u0660\u0660٪.", "It is 0 now.", "9"]
)
def test_altered_numbers_keep_form_and_script(text):
    """A share stays below 100 %, and digits stay in their script."""
    for seed in range(8):
        found = degrade(text, DEGRADATIONS["alter-number"], seed=seed)
        new = [c for c in found.text if c.isdecimal()]
        value = int("".join(str(unicodedata.digit(c)) for c in new))
        assert value < 100
        assert value != int("".join(str(unicodedata.digit(c)) for c in text if c.isdecimal()))
        assert {ord(c) - int(c) for c in new} == {ord(c) - int(c) for c in text if c.isdecimal()}


def test_dropping_a_step_renumbers_the_rest():
    """Labels stay in sequence, so that only the step is missing."""
    found = degrade(
        "1. Dig.\n2. Water the bed.\n3. Rest.\n4. Eat.", DEGRADATIONS["drop-requirement"],
        task="Say how to water.",
    )  # fmt: skip
    assert found.text == "1. Dig.\n2. Rest.\n3. Eat."


def test_links_keep_their_words_and_references_stay():
    """Of a link the address goes; an entry of the list of references is not taken."""
    link = degrade("See [the shop](https://x.org).", DEGRADATIONS["drop-citation"])
    assert link.text == "See the shop."
    entry = degrade("[1] Smith, A title.", DEGRADATIONS["drop-citation"])
    assert isinstance(entry, NotApplicable)


def test_truncation_never_cuts_code_numbers_or_graphemes():
    """Cuts fall between words, outside fences, citations and numbers."""
    for seed in range(30):
        found = degrade(REPORT, DEGRADATIONS["truncate"], seed=seed)
        assert found.text.count("```") % 2 == 0
        assert REPORT[len(found.text)] != "." or not found.text[-1].isdigit()
        hindi = degrade(SAMPLES["hindi"], DEGRADATIONS["truncate"], seed=seed)
        rest = SAMPLES["hindi"][len(hindi.text)]
        assert unicodedata.category(rest)[0] != "M"


def test_broken_formats_no_longer_parse():
    """JSON has no closing bracket, a fence no end, a heading no mark."""
    broken = degrade(SAMPLES["json"], DEGRADATIONS["break-format"]).text
    with pytest.raises(json.JSONDecodeError):
        json.loads(broken)
    assert degrade(REPORT, DEGRADATIONS["break-format"]).text.count("```") == 1
    assert degrade("# A\n\nb", DEGRADATIONS["break-format"]).text == "A\n\nb"
    assert degrade("- a\n- b\n", DEGRADATIONS["break-format"]).text == "a\n\nb\n"


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "."])
def test_texts_without_content_have_a_reason(text):
    """Nothing is made of nothing."""
    for degradation in DEGRADATIONS.values():
        assert isinstance(degrade(text, degradation), NotApplicable)


def test_a_degradation_that_changes_more_than_it_declares_is_refused():
    """The check names the property, and the next candidate is taken where there is one."""

    def edits(reading, _rng):
        return [
            Edit(text="Sales fell 15 %.", detail="both"),
            Edit(text=reading.text, detail="none"),
            *([Edit(text="Sales rose 15 %.", detail="number")] if "12" in reading.text else []),
        ]

    own = Degradation(
        name="own", summary="Own.", declares={"numbers": ("one replaced",)}, edits=edits
    )
    assert degrade("Sales rose 12 %.", own).detail == "number"
    refused = degrade("Sales rose 18 %.", own)
    assert refused.reason == (
        "refused: words changed, which is not declared; parts changed, which is not declared"
    )


@pytest.mark.parametrize(
    ("relation", "base", "yes", "no"),
    [
        ("one removed", "abc", "ac", "a"),
        ("run removed", "abcd", "ad", "bd"),
        ("some removed", "abcd", "bd", "ca"),
        ("one added", "ac", "abc", "abbc"),
        ("run added", "ad", "abcd", "abdc"),
        ("repeats added", "ab", "aba", "abc"),
        ("one replaced", "abc", "axc", "axy"),
        ("cut off", "abc", "ab", "bc"),
        ("reordered", "abc", "cab", "abc"),
        ("same", "abc", "abc", "acb"),
    ],
)
def test_relations(relation, base, yes, no):
    """Each relation holds for its case and not for its neighbour."""
    assert relation_holds(relation, list(base), list(yes))
    assert not relation_holds(relation, list(base), list(no))
