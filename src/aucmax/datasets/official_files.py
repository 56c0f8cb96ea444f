"""The official files of the benchmark sets: names, addresses, formats and sizes.

The checksum of a file as it is served is known only for one; for all, the numbers of rows and columns are compared
with the published ones.
"""

from __future__ import annotations

from dataclasses import dataclass

LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/"
BINARY, MULTICLASS = LIBSVM + "binary/", LIBSVM + "multiclass/"
UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
ODDS = "https://odds.cs.stonybrook.edu/"


@dataclass(frozen=True)
class OfficialFile:
    """A file to download, and what must be in it."""

    name: str  # of the data set, for `load`
    address: str  # of the file, or of the page that offers it
    rows: int
    columns: int
    file: str = ""  # name of the file, if the address does not end with it
    format: str = "libsvm"  # or "odds" (.mat with X and y), "csv" (label in the last column)
    md5: str = ""  # of the file, if known
    change: str = ""  # "z-scores" or "letters": how the columns are changed

    @property
    def file_name(self) -> str:
        """As it is called after the download."""
        return self.file or self.address.rsplit("/", 1)[-1]


OFFICIAL_FILES = (
    OfficialFile("a9a", BINARY + "a9a", 32_561, 123, md5="fb3596510d780aaf76a06dc721d49662"),
    OfficialFile("a9a.t", BINARY + "a9a.t", 16_281, 123),
    OfficialFile("australian_scale", BINARY + "australian_scale", 690, 14),
    OfficialFile("cod-rna_zscore", BINARY + "cod-rna", 59_535, 8, change="z-scores"),
    OfficialFile("diabetes", BINARY + "diabetes", 768, 8),
    OfficialFile("diabetes_scale", BINARY + "diabetes_scale", 768, 8),
    OfficialFile("fourclass_scale", BINARY + "fourclass_scale", 862, 2),
    OfficialFile("german.numer", BINARY + "german.numer", 1000, 24),
    OfficialFile("german.numer_scale", BINARY + "german.numer_scale", 1000, 24),
    OfficialFile("ijcnn1", BINARY + "ijcnn1.bz2", 49_990, 22),
    OfficialFile("ijcnn1.t", BINARY + "ijcnn1.t.bz2", 91_701, 22),
    OfficialFile("ionosphere_scale", BINARY + "ionosphere_scale", 351, 34),
    OfficialFile("splice_scale", BINARY + "splice_scale", 1000, 60),
    OfficialFile("splice_scale.t", BINARY + "splice.t", 2175, 60, change="letters"),
    OfficialFile("svmguide3", BINARY + "svmguide3", 1243, 22),
    OfficialFile("w8a", BINARY + "w8a", 49_749, 300),
    OfficialFile("real-sim", BINARY + "real-sim.bz2", 72_309, 20_958),
    OfficialFile("webspam", BINARY + "webspam_wc_normalized_unigram.svm.xz", 350_000, 254),
    OfficialFile("acoustic", MULTICLASS + "vehicle/acoustic.bz2", 78_823, 50),
    OfficialFile("letter.scale", MULTICLASS + "letter.scale", 15_000, 16),
    OfficialFile("letter.scale.t", MULTICLASS + "letter.scale.t", 5000, 16),
    OfficialFile("mnist", MULTICLASS + "mnist.bz2", 60_000, 780),
    OfficialFile("mnist.t", MULTICLASS + "mnist.t.bz2", 10_000, 780),
    OfficialFile("news20", MULTICLASS + "news20.bz2", 15_935, 62_061),
    OfficialFile("news20.t", MULTICLASS + "news20.t.bz2", 3993, 62_061),
    OfficialFile("sector.scale", MULTICLASS + "sector/sector.scale.bz2", 6412, 55_197),
    OfficialFile("sector.scale.t", MULTICLASS + "sector/sector.t.scale.bz2", 3207, 55_197),
    OfficialFile("usps", MULTICLASS + "usps.bz2", 7291, 256),
    OfficialFile("usps.t", MULTICLASS + "usps.t.bz2", 2007, 256),
    OfficialFile("australian", UCI + "statlog/australian/australian.dat", 690, 14, format="csv"),
    OfficialFile("covtype", UCI + "covtype/covtype.data.gz", 581_012, 54, format="csv"),
    OfficialFile("spambase", UCI + "spambase/spambase.data", 4601, 57, format="csv"),
    OfficialFile("arrhythmia", ODDS, 452, 274, file="arrhythmia.mat", format="odds"),
    OfficialFile("breastw", ODDS, 683, 9, file="breastw.mat", format="odds"),
    OfficialFile("mammography", ODDS, 11_183, 6, file="mammography.mat", format="odds"),
    OfficialFile("thyroid", ODDS, 3772, 6, file="thyroid.mat", format="odds"),
)
