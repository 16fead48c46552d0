"""Both pages in a browser: no text is cut off, no point of a plot lies hidden, nothing is wider than the window."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gpuopt_driver.report.emulated import read_emulated
from gpuopt_driver.report.emulated_html import emulated_html
from gpuopt_driver.report.html import report_html
from gpuopt_driver.report.model import Decision, Finding, Problem, Severity, UnitReport

HERE = Path(__file__).parent
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# What the page's own elements say of where they are, as JSON in its title.
LOOK = """<script>
const cut = [], hidden = [];
for (const text of document.querySelectorAll("svg text")) {
  const box = text.getBoundingClientRect(), frame = text.ownerSVGElement.getBoundingClientRect();
  if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1) cut.push(text.textContent);
}
for (const ring of document.querySelectorAll("svg circle")) {
  ring.scrollIntoView({block: "center"});
  const box = ring.getBoundingClientRect(), r = box.width / 2 - 1;
  let seen = false;
  for (let angle = 0; angle < 6.28; angle += 0.2)
    seen = seen || document.elementFromPoint(box.x + box.width / 2 + r * Math.cos(angle), box.y + box.height / 2 + r * Math.sin(angle)) === ring;
  if (!seen) hidden.push(ring.textContent);
}
const root = document.documentElement;
// Of each plot of what is busy, the widest bar: whose it is, and how wide beside the text that says how busy.
const busiest = [...document.querySelectorAll("h3")].filter(head => head.textContent === "what is busy").map(head => {
  const plot = head.nextElementSibling, texts = [...plot.querySelectorAll("text")].map(text => text.textContent);
  const widths = [...plot.querySelectorAll("rect")].map(bar => bar.getBoundingClientRect().width);
  const at = widths.indexOf(Math.max(...widths));
  return texts[2 * at] + ", which works " + texts[2 * at + 1];
});
document.title = "LOOKED" + JSON.stringify({busiest, cut, hidden, wide: root.scrollWidth - root.clientWidth, plots: document.querySelectorAll("svg").length});
</script></body>"""  # noqa: E501

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")


def looked_at(page: str, scratch: Path) -> dict[str, object]:
    """What the browser says of the page."""
    (scratch / "page.html").write_text(page.replace("</body>", LOOK), encoding="utf-8")
    alone = ("--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync")
    argv = (
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={scratch / 'profile'}",
        *alone,
    )
    done = subprocess.run(
        [*argv, "--window-size=1280,900", "--dump-dom", (scratch / "page.html").as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    found = re.search(r"<title>LOOKED(.*?)</title>", done.stdout)
    assert found is not None, done.stderr
    told: dict[str, object] = json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    return told


def bounds(page: str) -> list[str]:
    """What is said to bound each launch."""
    return re.findall(r", bound by (.*?)</li>", page)


@pytest.mark.parametrize("name", ["plain", "throttled"])
def test_the_emulators_page(name: str, tmp_path: Path) -> None:
    report = read_emulated(str(HERE / f"emulated/{name}.json"))
    page = emulated_html(report)
    told = looked_at(page, tmp_path)
    assert told.pop("plots")
    busiest = told.pop("busiest")
    assert told == {"cut": [], "hidden": [], "wide": 0}
    # What bounds a launch, in words, is the longest bar of its plot; what it held at once, a curve.
    assert isinstance(busiest, list)
    assert len(busiest) == sum(1 for launch in report.launches if launch.limits) > 0
    assert page.count("<h3>resident blocks</h3>") == sum(1 for launch in report.launches if launch.timeline) > 0
    said = [text.replace("latency: the busiest, ", "").replace(", works", ", which works") for text in bounds(page)]
    assert said == busiest


def test_the_page_of_a_build(tmp_path: Path) -> None:
    figures = {"footprint_bytes": 139264, "kernel": f"gesummv<{'float, ' * 60}>", "unbroken": "x" * 300}
    said = "4 of 8 warps at a time: footprint 139264 B > L1 131072 B"
    place = f"/home/{'deep/' * 30}file.cu"
    finding = Finding("catt", f"ns::k<{'a' * 200}>", Decision.APPLIED, "CATT002", said, place, 41, 9, figures)
    problem = Problem(Severity.WARNING, f"plugin vtb raised ValueError: {'y' * 300}; it is left out", "vtb")
    unit = UnitReport(source=place, gpu="h200", backend="nvcc", findings=(finding,), problems=(problem,))
    told = looked_at(report_html([unit], cwd="/"), tmp_path)
    assert (told["cut"], told["wide"]) == ([], 0)


def test_what_is_cut_off_or_hidden_is_seen(tmp_path: Path) -> None:
    plot = (
        '<svg viewBox="0 0 90 30" width="90"><text x="60" y="12">far too long</text>'
        '<circle cx="20" cy="15" r="4"/><circle cx="20" cy="15" r="6"/></svg>'
    )
    told = looked_at(f"<!DOCTYPE html><html><body>{plot}</body></html>", tmp_path)
    assert told["cut"] == ["far too long"]
    assert told["hidden"] == [""]
