"""The page in a browser: its script, its widths, its print; skipped where no browser is."""

import re
import shutil

import numpy as np
import pandas as pd
import pytest

from sklearn_spe import PerformanceCurveEstimator, PerformanceReport
from tests.display.data import even_scores, quick_mixture
from tests.quick import QUIET

sync_api = pytest.importorskip("playwright.sync_api")

pytestmark = QUIET

N = 400
SCORES, LABELS = even_scores(N)
PARTLY = np.where(np.arange(N) < 60, LABELS, -1)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "firefox")
WIDTHS = (320, 390, 768, 1280)
COUNTS = re.compile(r"([\d,]+) of ([\d,]+) items")


@pytest.fixture(scope="module")
def browser():
    """Return a browser of this machine."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no browser is installed")
    with sync_api.sync_playwright() as playwright:
        kind = playwright.firefox if "firefox" in path else playwright.chromium
        browser = kind.launch(executable_path=path)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory, global_random_seed):
    """Return the files of a page on one system and of one on two."""
    folder = tmp_path_factory.mktemp("pages")
    noise = np.random.default_rng(global_random_seed).standard_normal(N)
    tables = {"one": SCORES, "two": pd.DataFrame({"old": SCORES, "new": SCORES + noise})}
    paths = {}
    for name, X in tables.items():
        mixture = quick_mixture(global_random_seed, n_draws=200)
        performance = PerformanceCurveEstimator(mixture, random_state=global_random_seed)
        paths[name] = folder / f"{name}.html"
        PerformanceReport.from_estimator(performance.fit(X, PARTLY), threshold=1.0).to_html(
            paths[name]
        )
    return paths


@pytest.fixture
def opened(browser, pages):
    """Return a function that opens a page, which must not report an error."""
    errors = []
    contexts = []

    def open_page(name, width=1280, height=800, anchor="", **settings):
        context = browser.new_context(viewport={"width": width, "height": height}, **settings)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(error))
        page.on("console", lambda message: message.type == "error" and errors.append(message.text))
        page.goto(f"{pages[name].as_uri()}{anchor}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []


def test_the_slider_moves_the_numbers_and_the_point(opened):
    page = opened("one")
    slider = page.locator("input[type=range]")
    point = page.locator(".look .point circle")
    precision = page.locator("tr[data-metric=precision] td").first
    flagged = page.locator(".flagged")

    def state():
        n_flagged, n_items = (
            int(number.replace(",", "")) for number in COUNTS.match(flagged.inner_text()).groups()
        )
        place = float(point.get_attribute("cx")), float(point.get_attribute("cy"))
        return float(page.locator("output").inner_text()), n_flagged, n_items, place

    start, n_start, n_items, place = state()
    assert start == 1.0
    assert n_items == N
    assert n_start == np.count_nonzero(SCORES >= 1.0)
    before = precision.inner_text()

    slider.focus()
    for _ in range(8):
        slider.press("ArrowRight")
    higher, n_higher, _, moved = state()
    assert higher > start
    # Scores are shown with six digits.
    assert abs(n_higher - np.count_nonzero(higher <= SCORES)) <= 1
    assert n_higher < n_start
    # Recall falls with the threshold: the point moves to the left.
    assert moved[0] <= place[0]
    assert moved != place
    assert slider.get_attribute("aria-valuetext").startswith("score ")

    for _ in range(8):
        slider.press("ArrowLeft")
    assert state() == (start, n_start, n_items, place)
    assert precision.inner_text() == before


def test_what_is_folded_opens_by_a_click_and_by_a_link(opened):
    page = opened("one")
    sections = page.locator("details.section")
    assert sections.count() >= 5
    assert not any(sections.nth(k).get_attribute("open") for k in range(sections.count()))
    numbers = page.locator("#numbers")
    table = numbers.locator("table").first
    assert not table.is_visible()
    numbers.locator("summary").first.click()
    assert table.is_visible()

    page.get_by_role("link", name="how it was computed").click()
    page.wait_for_function("document.getElementById('method').open")
    # A number leads to how it was computed, also if the page is opened by such a link.
    again = opened("one", anchor="#computed-recall")
    again.wait_for_function("document.getElementById('method').open")
    assert again.locator("#computed-recall").is_visible()


def test_a_pointer_on_the_curve_reads_its_values(opened):
    page = opened("one")
    readout = page.locator(".look .readout")
    before = readout.inner_text()
    box = page.locator(".look svg").bounding_box()
    page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 0.5 * box["height"])
    assert readout.inner_text() != before
    assert re.search(r"precision \d\.\d+ \(\d\.\d+ to \d\.\d+\)", readout.inner_text())


@pytest.mark.parametrize("width", [390, 1280])
def test_the_first_screen_has_the_verdict_the_threshold_and_the_misses(opened, width):
    height = 844 if width == 390 else 800
    page = opened("one", width, height)
    parts = [".lead", ".verdict", ".cards .card >> nth=0", ".cards .card >> nth=1"]
    if width == 1280:
        parts += [".look .point", "input[type=range]", ".decisions"]
    for part in parts:
        box = page.locator(part).first.bounding_box()
        assert box["y"] + min(box["height"], 40.0) <= height, part
    assert "Missed positives" in page.locator(".cards .card").first.inner_text()
    assert page.locator(".lead").inner_text().startswith("At threshold 1,")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["one", "two"])
def test_no_page_is_wider_than_its_window(opened, name, width):
    page = opened(name, width)
    for section in page.locator("details.section > summary").all():
        section.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_dark_schemes_have_a_dark_paper(opened):
    grounds = []
    for scheme in ("light", "dark"):
        page = opened("one", color_scheme=scheme)
        color = page.evaluate("getComputedStyle(document.body).backgroundColor")
        grounds.append(sum(map(int, re.findall(r"\d+", color)[:3])))
    assert grounds[1] < 200 < 600 < grounds[0]


def test_print_unfolds_the_sections(opened):
    page = opened("one")
    page.emulate_media(media="print")
    heights = [box["height"] for box in _boxes(page, "details.section")]
    summaries = [box["height"] for box in _boxes(page, "details.section > summary")]
    assert all(whole > 2.0 * summary for whole, summary in zip(heights, summaries, strict=True))
    assert not page.locator("input[type=range]").is_visible()


def _boxes(page, selector):
    return [element.bounding_box() for element in page.locator(selector).all()]
