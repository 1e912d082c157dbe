"""Makes the screenshots of docs/desk.md: ``uv run python tests/browser/screenshots.py [folder]``. Needs Chromium.

The pages are the real ones, over invented conversations that are held through the try page and the capture graph.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from langgraph_readback.context import CaptureContext
from langgraph_readback.fields import catalogue
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.handoff.console.trial import OFFERED

sys.path.insert(0, str(Path(__file__).parent))
from conftest import SESSION, Site, keys  # beside this file

WIDE, PHONE = {"width": 1180, "height": 860}, {"width": 390, "height": 844}
CALLS = [
    (
        "email",
        "voice",
        ["b o b at example dot com", "no", "d o b at example dot com", "no", "p o b at example dot com", "no"],
    ),
    ("phone", "voice", ["a person, please"]),
    ("name", "chat", ["https://example.com", "12345", "@@"]),
]
TURNS = ["kim dot lee at example dot com", "yes", "HL-204171", "no", "HL-2O4117", "no", "HL-204111", "no"]


def calls(site: Site) -> None:
    """Conversations that end at the desk."""
    for number, (field, channel, turns) in enumerate(CALLS):
        saver = InMemorySaver()
        spec = OFFERED.get(field, catalogue.get(field))
        graph = build_capture_graph([spec], checkpointer=saver, desk=site.desk, sealer=site.desk.sealer)
        for turn in [None, *turns]:
            sent = [] if turn is None else [HumanMessage(turn)]
            config = {"configurable": {"thread_id": f"call-{number + 1}"}}
            graph.invoke({"messages": sent}, config, context=CaptureContext(channel=channel))
        site.clock.ahead += 47


def say(page: Page, text: str) -> None:
    before = page.locator("#talk li").count()
    page.get_by_label("Your turn").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator("#talk li").nth(before + 1)).to_be_visible()


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    site = Site(lease=120.0)
    site.start()
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        calls(site)

        def page(scheme: str, size: dict[str, int], person: str = "ana") -> Page:
            context = browser.new_context(
                color_scheme=scheme, viewport=size, reduced_motion="reduce", device_scale_factor=1
            )
            context.add_cookies([{"name": SESSION, "value": site.people.cookie(person), "url": site.url}])
            return context.new_page()

        trial = page("light", {**WIDE, "height": 960})
        trial.goto(f"{site.url}/try/")
        for box in trial.get_by_role("checkbox").all():
            box.set_checked(box.get_attribute("value") in ("email", "order_id"))
        trial.get_by_role("button", name="Start").click()
        expect(trial.locator("#talk li").first).to_be_visible()
        for text in TURNS:
            say(trial, text)
        trial.screenshot(path=folder / "try.png")

        desk = page("light", WIDE)
        desk.goto(f"{site.url}/desk/")
        desk.screenshot(path=folder / "queue.png")
        desk.locator(".tickets a").filter(has_text="email address").click()
        keys(desk, "While you hold it").press("c")
        keys(desk, "You hold this ticket.").press("s")
        keys(desk, "Captured values are shown to you.").press("v")
        desk.keyboard.type("bob@example.com")
        expect(desk.locator("#verdict output")).to_be_visible()
        desk.evaluate("() => scrollTo(0, 180)")
        desk.screenshot(path=folder / "ticket.png")

        phone = page("dark", PHONE, "ben")
        phone.goto(f"{site.url}/desk/")
        phone.screenshot(path=folder / "phone.png")
        browser.close()
    site.stop()
    for path in folder.glob("*.png"):  # flat colours: a palette is a third of the size and looks the same
        with Image.open(path) as picture:
            small = picture.convert("RGB").quantize(96, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        small.save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "docs" / "img")
