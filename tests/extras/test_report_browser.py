"""The page of a comparison in headless Chromium: nothing loaded, tabs, tooltips, accessibility, narrow and printed.

Needs the Python package playwright and a Chromium (Debian's, or the one named by the environment variable CHROMIUM);
axe-core comes from npm, or from the file named by AXE_CORE. REPORT_SCREENSHOTS names a folder for the screenshots.
"""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from aucmax.comparison import compare
from aucmax.comparison.report import Costs, ReportFacts
from aucmax.tables.findings.finding import Finding

playwright = pytest.importorskip("playwright.sync_api", reason="the Python package playwright is not installed")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium; install it: apt-get install chromium")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The page of a comparison with everything on it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 12))
    y = (X[:, 0] - X[:, 1] + rng.normal(size=900) > 2.2).astype(int)
    names = [f"amount {j}" for j in range(11)] + ["<b>a very long & hostile name</b>" * 3]
    facts = ReportFacts(
        title="payments of the first half of the year.csv",
        positive="'fraud'",
        period="2026-01-01 to 2026-06-30",
        columns=tuple(names),
        left_out={"payment number": "looks like an id: each is the one before plus 1"},
        findings=(Finding("AUC101", "column 'payment number' is left out", "keep it", ("payment number",)),),
        groups=np.array(["2026-01", "2026-02", "2026-03"])[np.arange(900) % 3],
        group_column="day",
        costs=Costs(500.0, 5.0),
        command="aucmax compare payments.csv --target is_fraud --report report.html",
        seed=0,
        data_hash="0123456789abcdef" * 4,
    )
    path = tmp_path_factory.mktemp("report") / "report.html"
    compare(X, y, ["logistic", "exact", "ridge balanced"], cv=3).report(path, facts, X=X, feature_names=names)
    return path


@pytest.fixture(scope="module")
def browser():
    """A browser with a new profile."""
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def tab(browser, report):
    """The page, opened; whatever it requests or complains about fails the test."""
    tab = browser.new_page(viewport={"width": 1100, "height": 900})
    tab.set_default_timeout(20_000)
    noticed = []
    tab.on("console", lambda message: noticed.append(message.text))
    tab.on("pageerror", lambda error: noticed.append(str(error)))
    tab.on("request", lambda request: noticed.append(request.url))
    tab.goto(report.as_uri())
    yield tab
    tab.close()
    assert noticed == [report.as_uri()]


def visible_panels(tab):
    return tab.eval_on_selector_all(".panel", "panels => panels.map(panel => panel.checkVisibility())")


def test_tabs_by_mouse_and_keyboard(tab):
    buttons = tab.get_by_role("tab")
    assert buttons.all_inner_texts() == ["ROC", "Precision and recall", "Gains and lift", "Calibration", "Scores"]
    assert visible_panels(tab) == [True, False, False, False, False]
    buttons.nth(2).click()
    assert visible_panels(tab) == [False, False, True, False, False]
    for key, shown in (("ArrowRight", 3), ("End", 4), ("ArrowRight", 0), ("ArrowLeft", 4), ("Home", 0)):
        tab.keyboard.press(key)
        assert visible_panels(tab) == [k == shown for k in range(5)]
        assert tab.evaluate("document.activeElement.getAttribute('aria-selected')") == "true"


def test_tooltips_by_mouse_and_keyboard(tab):
    dot = tab.locator("#differences .dot").first
    tip = tab.locator(".tip")
    assert not tip.is_visible()
    dot.hover()
    assert tip.is_visible() and tip.inner_text() == dot.get_attribute("aria-label")
    tab.mouse.move(1, 1)
    assert not tip.is_visible()
    tab.get_by_role("tab").first.focus()
    tab.keyboard.press("Tab")
    assert tip.is_visible() and "false alarms" in tip.inner_text()
    tab.keyboard.press("Escape")
    assert not tip.is_visible()


def test_readable_without_its_script(browser, report):
    page = browser.new_page(java_script_enabled=False)
    page.goto(report.as_uri())
    panels = page.locator(".panel").all()
    assert len(panels) == 5 and all(panel.is_visible() for panel in panels)
    page.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1100), ("dark", 1100), ("light", 380)])
def test_the_page_fits_its_window(tab, scheme, width):
    tab.emulate_media(color_scheme=scheme)
    tab.set_viewport_size({"width": width, "height": 900})
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    for button in tab.get_by_role("tab").all():
        button.click()
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
    back = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (back == "rgb(255, 255, 255)") == (scheme == "light")
    folder = os.environ.get("REPORT_SCREENSHOTS")
    if folder:
        tab.screenshot(path=Path(folder) / f"{scheme}_{width}.png", full_page=True)


def test_print_shows_all_panels(tab, tmp_path):
    tab.emulate_media(media="print")
    assert visible_panels(tab) == [True] * 5
    assert not tab.get_by_role("tablist").is_visible()
    path = Path(os.environ.get("REPORT_SCREENSHOTS") or tmp_path) / "report.pdf"
    tab.pdf(path=path, format="A4")
    assert path.read_bytes().startswith(b"%PDF")


@pytest.fixture(scope="module")
def axe_core(tmp_path_factory):
    """The source of axe-core."""
    if os.environ.get("AXE_CORE"):
        return Path(os.environ["AXE_CORE"]).read_text(encoding="utf-8")
    if shutil.which("npm") is None:
        pytest.skip("there is no npm to install axe-core with")
    folder = tmp_path_factory.mktemp("npm")
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder), "axe-core@4"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        pytest.skip("npm did not install axe-core within a minute")
    if done.returncode:
        pytest.skip(f"npm cannot install axe-core: {done.stderr.strip().splitlines()[-1:]}")
    return (folder / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessible(tab, axe_core, scheme):
    tab.emulate_media(color_scheme=scheme)
    tab.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
    tab.evaluate(axe_core)
    result = tab.evaluate("axe.run()")
    serious = [rule for rule in result["violations"] if rule["impact"] in ("serious", "critical")]
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in serious] == []
    assert len(result["passes"]) > 20
