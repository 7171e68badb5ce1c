"""The engine on a made-up study: what it writes, keeps, compares and refuses."""

import io
import json

import numpy as np
import pytest

from evalkit.errors import ArgumentError, EvalkitError, FileMissingError
from evalkit.studies import find_root, load_module, reproduce, study_slugs
from evalkit.studies.files import same_pixels


def snapshot(folder):
    """Return the bytes of every file below a folder."""
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_reproduce_writes_every_file_and_the_sum(tiny):
    """A study gives cells, claims, tables, figures, a manifest and a page, and the sum line."""
    outcome = reproduce(root=tiny)
    names = {str(p) for p in snapshot(tiny / "reports")}
    assert names == {"README.md"} | {
        f"tiny/{name}"
        for name in (
            *("cells.csv", "claims.csv", "manifest.json", "index.html"),
            *("figures/line.png", "figures/line.svg"),
            *(f"tables/table1.{suffix}" for suffix in ("csv", "md", "tex")),
        )
    }
    assert outcome.text.splitlines() == [
        (
            "3 reported numbers: 1 recomputed, 1 derived, 1 transcribed; "
            "of 1 + 1: 1 match, 0 by rounding, 1 contradictions in the papers"
        ),
        "Table 1, a, delta: 70.1 against 70.0",
    ]
    cells = (tiny / "reports/tiny/cells.csv").read_text(encoding="utf-8").splitlines()
    assert cells == [
        "table,row,column,reported,computed,level,status,note",
        "1,a,score,70.0,70.0,recomputed,match,",
        "1,a,delta,+20.1,+20.0,derived,mismatch,70.1 against 70.0",
        "1,a,other,3,,transcribed,not-computed,",
    ]
    page = (tiny / "reports/tiny/index.html").read_text(encoding="utf-8")
    assert "3 reported numbers: 1 recomputed" in page


def test_reproducing_again_changes_nothing_and_check_agrees(tiny):
    """The second run writes the same bytes, and the check finds no difference."""
    reproduce(root=tiny)
    before = snapshot(tiny / "reports")
    assert reproduce(["tiny"], root=tiny).differences == ()
    checked = reproduce(root=tiny, check=True)
    assert checked.ok
    assert checked.differences == ()
    assert snapshot(tiny / "reports") == before


@pytest.mark.parametrize("name", ["cells.csv", "figures/line.png", "manifest.json"])
def test_check_finds_a_changed_byte_and_changes_nothing(tiny, name):
    """A committed file with one other byte is named, and left as it is."""
    reproduce(root=tiny)
    path = tiny / "reports/tiny" / name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    before = snapshot(tiny / "reports")
    outcome = reproduce(root=tiny, check=True)
    assert not outcome.ok
    assert any(line.startswith(f"reports/tiny/{name}: differs") for line in outcome.differences)
    assert snapshot(tiny / "reports") == before


def test_check_finds_missing_and_stale_files(tiny):
    """Missing, stale and hand-edited files are named; writing repairs them."""
    reproduce(root=tiny)
    (tiny / "reports/tiny/claims.csv").unlink()
    (tiny / "reports/tiny/old.csv").write_text("x", encoding="utf-8")
    (tiny / "reports/README.md").write_text("edited", encoding="utf-8")
    assert reproduce(root=tiny, check=True).differences == (
        "reports/tiny/claims.csv: missing",
        "reports/tiny/old.csv: not made any more",
        "reports/README.md: differs at line 1",
    )
    reproduce(root=tiny)
    assert reproduce(root=tiny, check=True).ok
    assert not (tiny / "reports/tiny/old.csv").exists()


def test_manifest_keeps_its_versions_while_outputs_are_equal(tiny):
    """Other library versions alone change no byte; another output brings the new versions."""
    reproduce(root=tiny)
    path = tiny / "reports/tiny/manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["made_with"]["numpy"] = "1.0"
    path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    assert reproduce(root=tiny).differences == ()
    counts = tiny / "fixtures/tiny/records/counts.csv"
    counts.write_text("k,n\n8,10\n", encoding="utf-8")
    assert reproduce(root=tiny).differences
    manifest = json.loads(path.read_text(encoding="utf-8"))
    assert manifest["made_with"]["numpy"] == np.__version__
    assert list(manifest["inputs"]) == sorted(manifest["inputs"])
    assert "fixtures/tiny/records/counts.csv" in manifest["inputs"]
    assert str(tiny) not in path.read_text(encoding="utf-8")


def test_a_drawing_with_equal_pixels_is_kept(tiny):
    """A PNG file that another encoder wrote is left as it is; another picture is not equal."""
    from matplotlib.image import imread, imsave

    reproduce(root=tiny)
    path = tiny / "reports/tiny/figures/line.png"
    pixels = imread(path)
    buffer = io.BytesIO()
    imsave(buffer, pixels, format="png", metadata={"Software": "another encoder"})
    assert buffer.getvalue() != path.read_bytes()
    assert same_pixels(buffer.getvalue(), path.read_bytes())
    other = io.BytesIO()
    imsave(other, 1 - pixels[..., :3], format="png")
    assert not same_pixels(other.getvalue(), path.read_bytes())
    assert not same_pixels(b"no picture", path.read_bytes())


def test_unknown_studies_and_roots_are_refused(tiny, tmp_path):
    """A study that does not exist and a folder outside a checkout are refused with a remedy."""
    assert study_slugs(tiny) == ("tiny",)
    with pytest.raises(ArgumentError, match="'large'; the studies are tiny"):
        reproduce(["large"], root=tiny)
    assert find_root(tiny / "analysis" / "tiny") == tiny
    with pytest.raises(FileMissingError, match="run this inside a checkout"):
        find_root(tmp_path)


def test_a_study_has_to_build_a_study_output(tiny):
    """A study file without `build`, or whose build returns something else, is refused."""
    for name, body, message in (
        ("empty", "", "has no function `build"),
        ("wrong", "def build(fixtures):\n    return 1\n", "returned int, not StudyOutput"),
    ):
        folder = tiny / "analysis" / name
        folder.mkdir()
        (folder / "study.py").write_text(body, encoding="utf-8")
        with pytest.raises(EvalkitError, match=message):
            reproduce([name], root=tiny)


def test_modules_are_loaded_once_and_failures_are_not_kept(tmp_path):
    """A study file is loaded once per path; one that fails can be loaded after its repair."""
    path = tmp_path / "part.py"
    path.write_text("raise ValueError('broken')\n", encoding="utf-8")
    with pytest.raises(ValueError, match="broken"):
        load_module(path)
    path.write_text("value = [1, 2, 3]\n", encoding="utf-8")
    assert load_module(path).value == [1, 2, 3]
    assert load_module(path) is load_module(path)
    with pytest.raises(FileMissingError, match="does not exist"):
        load_module(tmp_path / "none.py")


def test_several_studies_have_one_line_each_and_a_total(tiny):
    """With several studies every one has its sum, and the total stands last."""
    import shutil

    for top in ("analysis", "fixtures"):
        shutil.copytree(tiny / top / "tiny", tiny / top / "twin")
    lines = reproduce(root=tiny).text.splitlines()
    assert [line.split(" reported")[0] for line in (lines[0], lines[2], lines[-1])] == [
        "tiny: 3",
        "twin: 3",
        "6",
    ]
