"""Tables and files for tests."""

import numpy as np

from aucmax.tables import Table
from aucmax.tables.cells import STRING_DTYPE

TRAIN = """age,town,member,note,planet,fraud
31,Rome,true,a,Earth,no
,Oslo,false,b,Earth,no
 42 ,Rome,true,c,Earth,yes
1e2,,true,d,Earth,no
50,Oslo,false,e,Earth,no
60,Rome,true,f,Earth,yes
"""


def write(folder, text, name="table.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def table_of(**columns):
    return Table({name: np.array(cells, dtype=STRING_DTYPE) for name, cells in columns.items()})
