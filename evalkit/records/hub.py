"""Records as data sets of the Hugging Face hub (`datasets.Dataset`), and back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from evalkit.errors import ArgumentError, MissingPackageError
from evalkit.records.frames import frame_columns
from evalkit.records.read import read
from evalkit.records.schema import Records
from evalkit.records.values import utf8_text
from evalkit.records.write import _arrow

if TYPE_CHECKING:
    import datasets
    import pyarrow as pa

__all__ = ["arrow_table", "read_dataset", "to_dataset"]


def _datasets() -> Any:
    try:
        import datasets
    except ImportError as cause:
        raise MissingPackageError(
            "data sets of the hub need `datasets`: pip install datasets"
        ) from cause
    return datasets


def to_dataset(records: Records | Any) -> datasets.Dataset:
    """Return records, or any dataframe, as a data set.

    Parameters
    ----------
    records : Records or dataframe
        What to convert.

    Returns
    -------
    datasets.Dataset
        One row for each record; a score that is not there is null, and the status says why.

    Raises
    ------
    MissingPackageError
        `datasets` is not installed.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": ["007", "7"], "score": [1, None]})
    >>> to_dataset(read(frame, system="S"))["score"][:]
    [1.0, None]
    """
    import pyarrow as pa

    library = _datasets()
    columns = frame_columns(records.frame if isinstance(records, Records) else records)
    table = pa.table({utf8_text(name): _arrow(cells) for name, cells in columns.items()})
    made: datasets.Dataset = library.Dataset(table)
    return made


def arrow_table(dataset: Any) -> pa.Table:
    """Return the rows of a data set, of its selection where it has one.

    Raises
    ------
    ArgumentError
        It is no data set: a dictionary of splits, or a stream.

    Examples
    --------
    >>> import datasets
    >>> data = datasets.Dataset.from_dict({"id": ["a", "b", "c"]}).select([2, 0])
    >>> arrow_table(data).column("id").to_pylist()
    ['c', 'a']
    """
    library = _datasets()
    if isinstance(dataset, (library.DatasetDict, library.IterableDatasetDict)):
        splits = ", ".join(map(repr, dataset))
        raise ArgumentError(f"`dataset` holds the splits {splits}; give one of them")
    if isinstance(dataset, library.IterableDataset):
        raise ArgumentError(
            "`dataset` is a stream; load it without streaming, or take part of it with "
            "`datasets.Dataset.from_list(list(dataset.take(n)))`"
        )
    if not isinstance(dataset, library.Dataset):
        raise ArgumentError(f"`dataset` is {type(dataset).__name__}; it must be a datasets.Dataset")
    table: pa.Table = dataset.with_format("arrow")[:]
    return table


def read_dataset(
    dataset: datasets.Dataset,
    *,
    columns: Mapping[str, str] | None = None,
    keep: Collection[str] | None = None,
    score_range: tuple[float, float] | None = None,
    system: str | None = None,
) -> Records:
    """Read verdicts from a data set; the settings are those of `evalkit.read`.

    Raises
    ------
    ArgumentError
        It is a dictionary of splits, or a stream.

    Examples
    --------
    >>> import datasets
    >>> data = datasets.Dataset.from_dict({"id": ["a", "b"], "correct": [1, None]})
    >>> read_dataset(data, system="S").frame["status"].tolist()
    ['scored', 'missing']
    """
    table = arrow_table(dataset)
    return read(table, columns=columns, keep=keep, score_range=score_range, system=system)
