"""Mutates small valid files of every format and reads them: `python damaged_files.py FOLDER SEED MUTATIONS`.

Run in a process of its own, because a reader that follows a damaged offset ends it. Prints, as JSON, how often each
file was read and refused; any other exception than those that the command line reports is an error.
"""

import bz2
import gzip
import json
import lzma
import resource
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse

from aucmax.models import LinearScorer, ModelMetadata, SavedModel, load, save
from aucmax.tables import TableEncoder, encode_target, read, read_chunks

ROWS = {
    "age": ["31", "", "42", "100", "50", "60"],
    "town": ["Rome", "Oslo", "Rome", "", "Oslo", "Rome"],
    "note": ["é", "", "three\nlines\n", '"', "x" * 50, "6"],
    "fraud": ["no", "no", "yes", "no", "no", "yes"],
}
CSV = b'age,town,note,fraud\n31,Rome,"a ""b""\n",no\n,Oslo,\xc3\xa9,no\n42,Rome,,yes\n1e2,NA,x,no\n'
JSON_LINES = b'{"age": 31, "town": "Rome", "fraud": "no"}\n{"age": null, "town": "\xc3\xa9", "fraud": "yes"}\n' * 2
LIBSVM = b"+1 1:0.5 3:2 # a\n-1 qid:3 2:25e-2 7:1e300\n1 1:1\n-1 3:-1.5\n"
LIMIT = 6 << 30  # of address space, so that a wrong length is a MemoryError instead of a full machine


def write_samples(folder):
    """One valid file of each format."""
    for name, content in {"a.csv": CSV, "a.jsonl": JSON_LINES, "a.svm": LIBSVM}.items():
        (folder / name).write_bytes(content)
        for suffix, packer in ((".gz", gzip), (".bz2", bz2), (".xz", lzma)):
            (folder / (name + suffix)).write_bytes(packer.compress(content))
    y = np.array([1, 0, 1, 0])
    np.savez(folder / "dense.npz", X=np.arange(8.0).reshape(4, 2), y=y)
    np.savez_compressed(folder / "packed.npz", X=np.arange(8.0).reshape(4, 2), y=np.array(["a", "b", "a", "b"]))
    X = sparse.csr_array(np.eye(4, 3))
    np.savez(folder / "csr.npz", data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)
    table = read(folder / "a.csv")
    encoder = TableEncoder().fit(table.drop("fraud"))
    scorer = LinearScorer(np.arange(len(encoder.get_feature_names_out())) / 7, 0.5)
    save(SavedModel(ModelMetadata(("no", "yes"), encoder=encoder), scorer), folder / "model.json")
    write_arrow_samples(folder)


def write_arrow_samples(folder):
    try:
        import pyarrow as pa
        from pyarrow import feather, parquet
    except ImportError:
        return
    rows = pa.table(ROWS | {"number": [1.5, None, 3, 4, 5, 6], "town": pa.array(ROWS["town"]).dictionary_encode()})
    feather.write_feather(rows, str(folder / "plain.arrow"), compression="uncompressed")
    feather.write_feather(rows, str(folder / "packed.arrow"), compression="lz4")
    with pa.ipc.new_stream(str(folder / "stream.arrow"), rows.schema) as sink:
        sink.write_table(rows)
    parquet.write_table(rows, str(folder / "a.parquet"), row_group_size=4)
    parquet.write_table(rows, str(folder / "plain.parquet"), use_dictionary=False, compression="none")


def mutate(content, rng):
    """The bytes with some of them replaced, removed, repeated or cut off."""
    content = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(0, max(1, len(content))))
        kind = rng.integers(0, 6)
        if kind == 0:
            content[at : at + 1] = bytes([rng.integers(0, 256)])
        elif kind == 1:
            content[at : at + 4] = int(rng.choice([-5, 100_000, 4_000_000, 2**31 - 1])).to_bytes(
                4, "little", signed=True
            )
        elif kind == 2:
            del content[at : at + int(rng.integers(1, 20))]
        elif kind == 3:
            content[at:at] = content[at : at + int(rng.integers(1, 40))]
        elif kind == 4:
            content[at:at] = rng.choice([b'"', b",", b"\n", b"\0", b"\xff", b"(", b"{", b"1e999", b":", b"#"])
        elif rng.random() < 0.3:
            del content[at:]
    return bytes(content)


def use(path):
    """Read a file as the commands do; whether it was read without an error."""
    try:
        if path.suffix == ".json":
            load(path)
            return True
        table = read(path)
        list(read_chunks(path, rows=2))
    except (ValueError, OSError, MemoryError) as error:
        assert path.name in str(error), repr(error)
        return False
    try:
        encode_target(table, "fraud" if table.columns else None)
        if table.columns:
            TableEncoder().fit(table).transform(table)
    except (ValueError, MemoryError):
        return False
    return True


def main(folder, seed, n_mutations):
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(seed)
    write_samples(folder)
    counts = {}
    for sample in sorted(folder.iterdir()):
        content = sample.read_bytes()
        assert use(sample), sample
        (folder / "mutated").mkdir(exist_ok=True)
        path = folder / "mutated" / sample.name
        n_read = 0
        for i in range(n_mutations):
            path.write_bytes(mutate(content, rng))
            print(f"{sample.name}, mutation {i}", file=sys.stderr)  # the last line, should the process end here
            n_read += use(path)
        counts[sample.name] = {"read": n_read, "refused": n_mutations - n_read}
    print(json.dumps(counts))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
