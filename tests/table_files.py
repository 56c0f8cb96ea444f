"""Tables and files for tests."""

from aucmax.tables import Table

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


def names_of(encoder):
    return tuple(encoder.get_feature_names_out())


def table_of(**columns):
    return Table(columns)
