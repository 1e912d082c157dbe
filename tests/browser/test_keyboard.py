"""Keyboard, screen reader, colours, phone width, hostile text: the same pages for everybody."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from langgraph_readback.handoff.console.wording import Words, available

HOSTILE = (
    '<img src=x onerror="document.title=1"></td><script>document.title=2</script>{{ 7*7 }} \u202egnp.exe & "quotes" \'`'
)
PHONE = {"viewport": {"width": 360, "height": 740}}


def fits(page):
    """Whether nothing sticks out sideways."""
    return page.locator("html").evaluate("root => root.scrollWidth <= root.clientWidth")


def serious(page):
    """What axe finds, of the weight that keeps somebody out; and, in the dark, of contrast."""
    found = Axe().run(page).response["violations"]
    page.emulate_media(color_scheme="dark")
    found += Axe().run(page, options={"runOnly": ["color-contrast"]}).response["violations"]
    page.emulate_media(color_scheme="light")
    weighty = [one for one in found if one["impact"] in ("serious", "critical")]
    return [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in weighty]


def test_a_ticket_is_resolved_with_the_keyboard_alone(site, person, keys):
    ticket, ana = site.ticket("HL-204118", "HL-204178"), person("ana")
    ana.reload()
    keys(ana, "all attempts failed").press("j")
    expect(ana.locator(f"[data-ticket={ticket}] a")).to_be_focused()
    ana.keyboard.press("Enter")
    keys(ana, "While you hold it").press("c")
    keys(ana, "You hold this ticket.").press("s")
    keys(ana, "Captured values are shown to you.").press("v")
    ana.keyboard.type("HL-204118")
    expect(ana.locator("#verdict output")).to_have_text("HL-204118")
    ana.keyboard.press("Enter")
    expect(ana.get_by_text("Resolved. The conversation goes on")).to_be_focused()
    assert site.answer(ticket)["value"] == "HL-204118"


def test_every_control_is_reached_with_tab_and_keys_can_be_switched_off(site, person, keys):
    ticket, ana = site.ticket("HL-204118"), person("ana")
    ana.goto(f"{site.url}/desk/tickets/{ticket}")
    ana.keyboard.press("Tab")
    expect(ana.get_by_role("link", name="Skip to the content")).to_be_focused()
    for _ in range(12):
        ana.keyboard.press("Tab")
        if ana.locator("#do-claim button:focus").count():
            break
    ana.keyboard.press("Enter")
    keys(ana, "You hold this ticket.").press("?")
    ana.get_by_label("Single-key shortcuts").uncheck()
    ana.get_by_role("button", name="Close", exact=True).click()
    ana.keyboard.press("x")  # would give the ticket back
    ana.keyboard.press("s")
    expect(ana.get_by_text("You hold this ticket.")).to_be_visible()
    assert site.done(ticket) == ["filed", "claimed"]
    ana.get_by_role("button", name="Give it back").click()
    expect(ana.get_by_text("Given back to the queue.")).to_be_visible()


def test_axe_finds_nothing_serious_in_light_and_dark(site, person):
    ticket = site.ticket(
        "bob@example.com", "dob@example.com", field="email", label="email address", rules={"type": "email"}
    )
    site.ticket(channel="chat")
    guest = person(None)
    guest.goto(f"{site.url}/desk/")
    found = {"sign-in": serious(guest)}
    guest.goto(f"{site.url}/try/")
    found["start"] = serious(guest)
    guest.get_by_role("button", name="Start").click()
    expect(guest.locator(".field").first).to_be_visible()
    found["try"] = serious(guest)
    ana = person("ana")
    found["queue"] = serious(ana)
    ana.goto(f"{site.url}/desk/tickets/{ticket}")
    found["ticket"] = serious(ana)
    ana.get_by_role("button", name="Take this ticket").click()
    ana.get_by_role("button", name="Show the values").click()
    expect(ana.get_by_text("b, d sound alike on a telephone")).to_be_visible()
    for name in ("Back to the bot", "No value", "Record of this ticket"):
        ana.locator("summary").filter(has_text=name).click()
    ana.get_by_label("The email address").fill("bob")
    expect(ana.locator("#verdict")).to_contain_text("This does not fit")
    found["held"] = serious(ana)
    ana.get_by_label("The email address").blur()
    ana.keyboard.press("?")
    found["keys"] = serious(ana)
    assert {page: what for page, what in found.items() if what} == {}


def test_a_phone_shows_everything_without_scrolling_sideways(site, person, tmp_path):
    ticket, ana = site.ticket("HL-204118", "HL-204178"), person("ana", **PHONE)
    assert fits(ana)
    ana.goto(f"{site.url}/desk/tickets/{ticket}")
    ana.get_by_role("button", name="Take this ticket").click()
    ana.get_by_role("button", name="Show the values").click()
    expect(ana.locator("mark").first).to_be_visible()
    assert fits(ana)
    shot = ana.screenshot(path=tmp_path / "ticket.png")
    assert shot.startswith(b"\x89PNG")
    assert int.from_bytes(shot[16:20]) == PHONE["viewport"]["width"]
    acts, facts = (ana.locator(one).bounding_box() for one in ("#acts", ".evidence"))
    assert acts["y"] < facts["y"]  # what to do comes first
    ana.goto(f"{site.url}/try/")
    assert fits(ana)


@pytest.mark.parametrize("language", available())
def test_every_language_fits_a_phone(site, person, language):
    """A held ticket, the longest page, and the queue; the document says which language it is in."""
    ticket, words = site.ticket("HL-204118", "HL-204178"), Words(language)
    ana = person("ana", **{**PHONE, "locale": language})
    assert ana.locator("html").get_attribute("lang") == language
    assert fits(ana)
    ana.goto(f"{site.url}/desk/tickets/{ticket}")
    ana.get_by_role("button", name=words("ticket.claim")).click()
    ana.get_by_role("button", name=words("ticket.reveal")).click()
    expect(ana.get_by_text(words("ticket.revealed"))).to_be_visible()
    assert fits(ana)
    ana.get_by_role("button", name=words("ticket.release")).click()
    expect(ana.get_by_text(words("done.released"))).to_be_visible()
    site.desk.withdraw(ticket, "proposed")


def test_a_call_is_made_with_nothing_serious_for_axe(site, person):
    wish = {
        "name": "Rae Lee", "phone": "+13125550119", "time": "15:30", "zone": "America/Chicago", "at": 1796160600.0,
        "about": ["rb-1"],
    }  # fmt: skip
    ticket = site.ticket(field="call-back", label="callback", reason="callback", callback=wish, due_in=3600.0)
    ana = person("ana", **PHONE)
    ana.goto(f"{site.url}/desk/tickets/{ticket}")
    expect(ana.get_by_text("2026-12-01 15:30 (America/Chicago)")).to_be_visible()
    ana.get_by_role("button", name="Take this ticket").click()
    ana.get_by_role("button", name="Show the values").click()
    expect(ana.get_by_role("link", name="+13125550119")).to_have_attribute("href", "tel:+13125550119")
    assert serious(ana) == []
    assert fits(ana)
    ana.get_by_role("button", name="The call was made").click()
    expect(ana.get_by_text("Noted: the call was made.")).to_be_visible()
    assert site.done(ticket) == ["filed", "claimed", "revealed", "resolved"]


def test_what_a_user_said_is_text_and_nothing_else(site, person):
    ticket = site.ticket(
        HOSTILE, HOSTILE[1:], label=f"number {HOSTILE}", told=HOSTILE, thread=HOSTILE, purpose=HOSTILE, rules={"type": "name"},
    )  # fmt: skip
    ana = person("ana")
    ana.reload()
    expect(ana.locator(f"[data-ticket={ticket}] a")).to_contain_text("{{ 7*7 }}")
    ana.goto(f"{site.url}/desk/tickets/{ticket}")
    ana.get_by_role("button", name="Take this ticket").click()
    ana.get_by_role("button", name="Show the values").click()
    expect(ana.locator(".attempts dd.value").first).to_have_text(HOSTILE)
    ana.locator("#value").fill(HOSTILE)
    expect(ana.locator("#verdict")).not_to_be_empty()
    ana.get_by_role("button", name="Resolve with this value").click()
    expect(ana.locator("#value")).to_have_value(HOSTILE)
    assert ana.locator("#secret img, #secret script, main script").count() == 0
    assert ana.title().startswith("number <img")
