"""The site that `make docs` built, in headless Chromium, from the disk: nothing loaded, search, wide and narrow.

SITE_SCREENSHOTS names a folder for screenshots.
"""

import os
import shutil
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="the Python package playwright is not installed")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
PAGES = ("index", "objective", "solvers", "models", "mathematics", "start/shell", "gallery/index", "numbers/kernel")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium; install it: apt-get install chromium"),
    pytest.mark.skipif(not (SITE / "index.html").exists(), reason="there is no site; build it: make docs"),
]


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 390])
def test_pages_fit_load_nothing_and_raise_no_error(browser, scheme, width):
    page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
    requests, errors = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    for name in PAGES:
        page.goto((SITE / f"{name}.html").as_uri())
        too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert too_wide <= 0, name
        if folder := os.environ.get("SITE_SCREENSHOTS"):
            page.screenshot(path=Path(folder) / f"{name.replace('/', '_')}_{scheme}_{width}.png")
    assert errors == []
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []


def test_search_works_from_the_disk(browser):
    page = browser.new_page()
    page.goto((SITE / "search.html").as_uri() + "?q=unlearn")
    page.wait_for_selector("#search-results li")
    assert "Streams" in page.inner_text("#search-results")


def test_formulas_are_mathml(browser):
    page = browser.new_page()
    page.goto((SITE / "objective.html").as_uri())
    assert page.locator("math").count() > 20
    assert page.locator("math mfrac").first.bounding_box()["height"] > 10  # laid out as a fraction, not as text


def test_formulas_of_the_mathematics_are_laid_out(browser):
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto((SITE / "mathematics.html").as_uri())
    assert page.locator("math").count() > 300
    assert page.locator("math mo", has_text="$").count() == 0
    left, right = page.evaluate("""() => {
        const row = document.querySelector('.formula mtable').querySelectorAll('mtr')[0];
        const cells = [...row.children].map(cell => cell.getBoundingClientRect());
        const sign = row.children[1].querySelector('mo').getBoundingClientRect();
        return [cells[0].right, sign.left];
    }""")
    assert abs(left - right) < 12  # the equation sign stands right behind the left-hand side
    too_wide = "[...document.querySelectorAll('.formula')].filter(f => f.scrollWidth > f.clientWidth).length"
    assert page.evaluate(too_wide) == 0
