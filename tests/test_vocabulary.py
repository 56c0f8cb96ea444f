"""The field's own words: what a search finds, and what a native reader would say."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")),
    *sorted(f"docs/start/{page.name}" for page in (ROOT / "docs" / "start").glob("*.md")),
    *sorted(f"examples/{example.name}" for example in (ROOT / "examples").glob("*.py")),
]
SOURCES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("src", "tests", "benchmarks", "papers", "docs/_ext")
    for path in (ROOT / folder).rglob("*.py")
    if path != Path(__file__)
)

# A word of the old dialect, as a regular expression, and what to say instead.
INSTEAD = {
    r"\b[Tt]he door\b": "validation",
    r"\btruth[- ]values?\b": "boolean",
    r"\bwhole numbers?\b": "integer",
    r"\btexts\b": "strings",
    r"\bjudg(e|ed|es|ing)\b": "evaluate",
    r"\bthinned\b": "subsample",
    r"\bafresh\b": "from scratch; resets_fitted_state",
    r"all_or_nothing": "restores_on_error",
    r"\bwhole_file\b": "atomic_write",
    r"\b(Checked|Mapped|Recipe|Door)\b": "LabeledData, LazyFeatures, ProblemSpec, ErrorHandlingGroup",
    r"\brecipes?\b": "spec",
    r"\bgauges?\b": "normalization",
    r"check_taken": "check_penalty_supported",
    r"@kernel\b": "@compiled",
    r"\bkernels (take|call|are compiled|run|do not)\b": "compiled functions",
    r"\bAUC itself\b": "directly maximising AUC",
    r"\b(is|can be|could be) had\b": "is available, is undefined",
    r"\bif need be\b": "parent folders are created",
    r"\bcommas between\b": "comma-separated names",
    r"\bwords? (is|are) wrong\b": "usage error",
    r"\bend of (its|the|their) names?\b": "file extension",
    r"\bheed(s|ed|ing)?\b": "use, respect",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\brooms?\b": "package, module",
    r"\bpictures?\b": "plot, figure",
    r"\b(of|its|their|by) chance\b": "randomness, random choices",
    r"\bfad(e|es|ed|ing)\b": "forgetting, decay",
    r"\bby hand\b": "explicitly",
    r"\banew\b": "again, from scratch",
    r"\bthat has (waited|come)\b": "buffered",
    r"\bspec (section )?\d": "docs/mathematics.md",
    r"\b(go|goes|going) on\b": "continue, resume",
    r"\bat hand\b": "available, given",
    r"\bis no error\b": "is not an error, does no harm",
}


@pytest.mark.parametrize("page", [*PAGES, *SOURCES])
def test_no_word_of_a_private_dialect(page):
    text = (ROOT / page).read_text()
    found = {word: instead for word, instead in INSTEAD.items() if re.search(word, text)}
    assert found == {}
