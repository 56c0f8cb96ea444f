"""The printed numbers: how many there are, and that tables which copy from each other hold the same ones."""

import csv
from collections import Counter
from pathlib import Path

PAPERS = Path(__file__).parents[2] / "papers"


def printed(name):
    with open(PAPERS / name / "expected.csv", newline="") as file:
        return list(csv.DictReader(file))


def values(cells):
    return {(cell["data"], cell["method"]): (cell["mean"], cell["deviation"]) for cell in cells}


def test_every_cell_of_the_eight_tables_is_there():
    cells = [cell for name in ("dan_2019", "liu_2018", "natole_2020") for cell in printed(name)]
    sizes = Counter((cell["paper"], cell["table"]) for cell in cells)
    tables = {("000", "1"): 54, ("001", "1"): 60, ("002", "2"): 32, ("003", "3.2"): 68, ("003", "4.2"): 82}
    assert sizes == tables | {("003", "5.2"): 75, ("003", "6.3"): 48, ("003", "6.4"): 24}
    assert len({(cell["paper"], cell["table"], cell["data"], cell["method"]) for cell in cells}) == 443


def test_means_and_deviations_are_possible():
    for name in ("dan_2019", "liu_2018", "natole_2020"):
        for cell in printed(name):
            assert 0.5 < float(cell["mean"]) < 1 and 0 < float(cell["deviation"]) < 0.1, cell


def test_columns_copied_from_gao_are_the_same_in_all_tables():
    cells = [cell for cell in printed("natole_2020") if cell["copied_from"]]
    first = values(cell for cell in cells if cell["table"] == "3.2")
    for table in ("4.2", "5.2"):
        copied = values(cell for cell in cells if cell["table"] == table)
        assert copied.items() <= first.items()


def test_the_two_versions_of_vrspam_differ_in_one_row():
    later, earlier = (values(c for c in printed("dan_2019") if c["paper"] == paper) for paper in ("000", "001"))
    assert {data for data, _ in earlier.keys() - later.keys()} == {"letter"}
    assert later.items() <= earlier.items()


def test_columns_copied_from_natole_hold_the_numbers_of_the_dissertation_except_where_rows_were_swapped():
    renamed = {"SOLAM": "regSOLAM"}
    own = values(cell for cell in printed("natole_2020") if cell["table"] == "4.2")
    copied = values(cell for cell in printed("dan_2019") if cell["paper"] == "001" and cell["copied_from"])
    other = {data for (data, method), pair in copied.items() if own.get((data, renamed.get(method, method))) != pair}
    assert other == {"usps", "letter", "w8a"}  # the dissertation has neither letter nor w8a
    for method in ("SPAM-L2", "SPAM-NET", "SOLAM", "OPAUC"):
        assert copied["letter", method] == own["usps", renamed.get(method, method)]
