"""Reading a file reports how far it is."""

import gzip

from evalkit.records import read
from evalkit.records.watching import watching

ROWS = b"".join(b'{"item": "%d", "score": 1}\n' % i for i in range(5000))


def test_progress_grows_to_the_size_of_the_file(tmp_path):
    """Bytes are counted as they lie on disk, compressed or not."""
    for name, data in {"a.jsonl": ROWS, "b.jsonl.gz": gzip.compress(ROWS)}.items():
        path = tmp_path / name
        path.write_bytes(data)
        seen = []
        with watching(lambda path, done, size, seen=seen: seen.append((path.name, done, size))):
            assert len(read(path)) == 5000
        done = [count for _, count, _ in seen]
        assert done == sorted(done)
        assert seen[-1] == (name, len(data), len(data))


def test_nobody_watches_afterwards(tmp_path):
    """The watch ends with its block, also when reading fails."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(ROWS)
    seen = []
    with watching(lambda *progress: seen.append(progress)):
        pass
    read(path)
    assert seen == []
