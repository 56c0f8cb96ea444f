"""Tables as strangers send them: each with the findings that are expected, and whether it can be fitted."""

import csv
import io
import uuid
from dataclasses import dataclass, field

import numpy as np

N = 240
CLEAR = "\x1b[2J\x1b]0;owned\x07"


@dataclass(frozen=True)
class NastyTable:
    """The bytes of a CSV file, the options it is fitted with, and what should come of it.

    `findings` has the columns that each code should name. `error` is a part of the message if the table is refused.
    `n_features` is given where the encoding is the point.
    """

    content: bytes
    findings: dict = field(default_factory=dict)
    error: str | None = None
    options: tuple = ()
    n_features: int | None = None
    rows: int = N


def to_csv(columns, delimiter=",", encoding="utf-8"):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values()))
    return out.getvalue().encode(encoding)


def plain_columns(n=N, seed=0):
    """A table in which nothing is wrong: decimals, an age, categories and a target of which a third is positive."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return {
        "income": np.round(rng.lognormal(8, 0.6, n) * (1 + 0.5 * y), 2).tolist(),
        "balance": np.round(rng.normal(size=n) + 0.8 * y, 4).tolist(),
        "age": rng.integers(18, 80, n).tolist(),
        "town": rng.choice(["Oslo", "Rome", "Lima"], n).tolist(),
        "target": np.where(y, "yes", "no").tolist(),
    }


COLUMNS = plain_columns()
IS_POS = np.array(COLUMNS["target"]) == "yes"
_RNG = np.random.default_rng(1)


def _with(**more):
    return COLUMNS | more


def _in_front(**more):
    return more | COLUMNS


def _german(number, digits=2):
    text = f"{number:,.{digits}f}"
    return text.replace(",", "_").replace(".", ",").replace("_", ".")


def _uuids():
    return [str(uuid.UUID(bytes=_RNG.bytes(16))) for _ in range(N)]


def _sometimes(cells, share):
    return [cell if _RNG.random() < share else "" for cell in cells]


def _refunds():
    return [f"{_RNG.lognormal(3, 1):.2f}" if pos else "" for pos in IS_POS]


def _wide():
    n = 100
    columns = {f"x{j}": [f"{value:.4f}" for value in _RNG.normal(size=n)] for j in range(5000)}
    return columns | {"target": ["yes" if i % 4 == 0 else "no" for i in range(n)]}


def _duplicated():
    rows = list(zip(*COLUMNS.values()))
    rows = rows[:200] + rows[:40]
    return dict(zip(COLUMNS, zip(*rows)))


def _broken_line(line, replacement):
    lines = to_csv(COLUMNS).decode().splitlines()
    lines[line - 1] = replacement
    return ("\n".join(lines) + "\n").encode()


def _innocent_integers():
    """Integers that are no ids: amounts in cents, years, postcodes, a table sorted by an amount."""
    cents = np.sort((_RNG.lognormal(10, 1.5, N)).astype(int))
    return _with(
        cents=cents.tolist(),
        population=(1e6 * _RNG.pareto(1.2, N)).astype(int).tolist(),
        year_built=_RNG.integers(1900, 2020, N).tolist(),
        zip_code=_RNG.integers(10000, 99999, 60).repeat(4).tolist(),
        number_of_visits=_RNG.poisson(40, N).tolist(),
        key=_RNG.integers(0, 12, N).tolist(),
        paid=_RNG.integers(0, 2, N).tolist(),
    )


def make_tables():
    """All tables by name."""
    euros = [f"€{value:,.2f}" for value in COLUMNS["income"]]
    shares = [f"{value:.1f}%" for value in _RNG.uniform(0, 100, N)]
    days = np.datetime64("2025-01-01") + _RNG.integers(0, 365, N)
    stray = [*map(str, COLUMNS["income"][1:]), "abc"]
    classes = np.where(IS_POS, "fraud", _RNG.choice(["honest", "unclear"], N)).tolist()
    few = ["yes" if i % 48 == 0 else "no" for i in range(N)]
    gaps = {name: ["" if i % 20 == 3 else cell for i, cell in enumerate(cells)] for name, cells in COLUMNS.items()}
    german = {
        "Einkommen": [_german(value) for value in COLUMNS["income"]],
        "Saldo": [_german(value, 4) for value in COLUMNS["balance"]],
        "Ort": COLUMNS["town"],
        "target": COLUMNS["target"],
    }
    return {
        "plain": NastyTable(to_csv(COLUMNS), n_features=6),
        "id": NastyTable(to_csv(_in_front(id=_RNG.permutation(N) + 1000)), {"AUC101": ["id"]}, n_features=6),
        "keys without a name": NastyTable(
            to_csv(_in_front(a=_RNG.permutation(N) * 10 + 7)), {"AUC101": ["a"]}, n_features=6
        ),
        "uuid": NastyTable(to_csv(_in_front(u=_uuids())), {"AUC101": ["u"]}, n_features=6),
        "row number": NastyTable(to_csv(_in_front(n=range(N))), {"AUC101": ["n"]}, n_features=6),
        "index without a name": NastyTable(
            to_csv(COLUMNS | {"": range(N)}), {"AUC101": ["unnamed column 6"]}, n_features=6
        ),
        "64-bit ids": NastyTable(
            to_csv(_in_front(ref=2**62 + np.arange(N) * 3 + _RNG.integers(0, 3, N))),
            {"AUC101": ["ref"]},
            n_features=6,
        ),
        "ids that repeat": NastyTable(
            to_csv(_in_front(CustomerID=_RNG.integers(100, 180, N))), {"AUC101": ["CustomerID"]}, n_features=6
        ),
        "payment numbers": NastyTable(
            to_csv(_in_front(p=[f"payment {i}" for i in _RNG.permutation(N)])), {"AUC101": ["p"]}, n_features=6
        ),
        "kept id": NastyTable(to_csv(_in_front(id=_RNG.permutation(N))), {}, None, ("--keep", "id"), n_features=7),
        "dropped id": NastyTable(to_csv(_in_front(id=_RNG.permutation(N))), {}, None, ("--drop", "id"), n_features=6),
        "innocent integers": NastyTable(to_csv(_innocent_integers())),
        "leak": NastyTable(
            to_csv(_with(chargeback=np.where(IS_POS, 50.5, 0) + _RNG.uniform(0, 9, N).round(3))),
            {"AUC102": ["chargeback"]},
        ),
        "leak in a category": NastyTable(
            to_csv(
                _with(status=np.where(IS_POS, _RNG.choice(["blocked", "closed"], N), _RNG.choice(["open", "new"], N)))
            ),
            {"AUC102": ["status"]},
        ),
        "leak by being missing": NastyTable(to_csv(_with(refund=_refunds())), {"AUC102": ["refund"]}),
        "copy": NastyTable(
            to_csv(_with(income_2=np.array(COLUMNS["income"]) * 1.25 + 10)), {"AUC103": ["income", "income_2"]}
        ),
        "copied categories": NastyTable(
            to_csv(_with(code=[{"Oslo": "NO", "Rome": "IT", "Lima": "PE"}[town] for town in COLUMNS["town"]])),
            {"AUC103": ["town", "code"]},
        ),
        "German": NastyTable(to_csv(german, ";"), {"AUC104": ["Einkommen", "Saldo"]}, n_features=5),
        "currency": NastyTable(to_csv(_with(income=euros)), {"AUC104": ["income"]}, n_features=6),
        "per cent": NastyTable(to_csv(_with(share=shares)), {"AUC104": ["share"]}, n_features=7),
        "stray text": NastyTable(to_csv(_with(income=stray)), {"AUC104": ["income"]}),
        "Latin-1": NastyTable(
            to_csv(_with(town=[town.replace("Lima", "Málaga") for town in COLUMNS["town"]]), encoding="latin-1"),
            error="--encoding",
        ),
        "Latin-1 as told": NastyTable(
            to_csv(_with(town=[town.replace("Lima", "Málaga") for town in COLUMNS["town"]]), encoding="latin-1"),
            options=("--encoding", "latin-1"),
            n_features=6,
        ),
        "dates": NastyTable(to_csv(_with(day=days.astype(str))), {"AUC106": ["day"]}),
        "duplicate headers": NastyTable(
            to_csv(COLUMNS).replace(b"balance", b"income", 1), error="several columns named ['income']"
        ),
        "empty columns": NastyTable(to_csv(_with(a=[""] * N, b=["NA"] * N)), {"AUC107": ["a", "b"]}, n_features=6),
        "constant columns": NastyTable(
            to_csv(_with(planet=["Earth"] * N, one=[1] * N)), {"AUC107": ["planet", "one"]}, n_features=6
        ),
        "mostly missing": NastyTable(
            to_csv(_with(rare=_sometimes(COLUMNS["age"], 0.04))), {"AUC107": ["rare"]}, n_features=8
        ),
        "missing rows": NastyTable(to_csv(gaps | {"target": COLUMNS["target"]}), {"AUC105": []}, n_features=10),
        "duplicated rows": NastyTable(to_csv(_duplicated()), {"AUC105": []}),
        "huge numbers": NastyTable(
            to_csv(_with(huge=["1e308" if i == 5 else i % 7 for i in range(N)])), error="'huge' has 1e+308 in row 6"
        ),
        "a column called score": NastyTable(to_csv(_with(score=_RNG.normal(size=N).round(3))), n_features=7),
        "5,000 columns": NastyTable(to_csv(_wide()), rows=100, n_features=5000),
        "one row": NastyTable(to_csv({name: cells[:1] for name, cells in COLUMNS.items()}), error="only one class"),
        "escapes in names": NastyTable(
            to_csv({f"{name}{CLEAR}" if name != "target" else name: cells for name, cells in COLUMNS.items()}),
            n_features=6,
        ),
        "escapes in the name of an id": NastyTable(
            to_csv({f"id{CLEAR}": _RNG.permutation(N), **COLUMNS}), {"AUC101": [f"id{CLEAR}"]}, n_features=6
        ),
        "quoted newlines": NastyTable(
            to_csv(_with(town=[town.replace("Rome", "Rome\nItaly") for town in COLUMNS["town"]])), n_features=6
        ),
        "byte-order mark": NastyTable(b"\xef\xbb\xbf" + to_csv(COLUMNS), n_features=6),
        "short row": NastyTable(_broken_line(17, "1,2"), error="line 17"),
        "infinity": NastyTable(to_csv(_with(age=["inf", *COLUMNS["age"][1:]])), error="'age' is infinite in row 1"),
        "three classes": NastyTable(to_csv(_with(target=classes)), error="--positive"),
        "one against the rest": NastyTable(
            to_csv(_with(target=classes)), options=("--positive", "fraud"), n_features=6
        ),
        "one class": NastyTable(to_csv(_with(target=["no"] * N)), error="only one class"),
        "missing label": NastyTable(to_csv(_with(target=["", *COLUMNS["target"][1:]])), error="missing in 1 rows"),
        "five positives": NastyTable(to_csv(_with(target=few)), {"AUC108": []}, None, ("--cv", 2)),
        "spaces": NastyTable(
            to_csv({f"  {name} ": [f" {cell} " for cell in cells] for name, cells in COLUMNS.items()}), n_features=6
        ),
        "yes and no": NastyTable(to_csv(_with(member=_RNG.choice(["yes", "no"], N))), n_features=8),
        "true and false": NastyTable(to_csv(_with(member=_RNG.choice(["TRUE", "false"], N))), n_features=7),
        "empty file": NastyTable(b"", error="empty"),
        "header only": NastyTable(b"income,target\n", error="no rows"),
        "no target": NastyTable(to_csv(COLUMNS).replace(b"target", b"label", 1), error="there is no column 'target'"),
    }
