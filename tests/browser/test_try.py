"""The try page in a browser: each node lights up, replies are said aloud, the microphone is used, a person takes over."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

SPEECH = """
window.spoken = [];
speechSynthesis.speak = (utterance) => spoken.push([utterance.lang, utterance.text]);
window.webkitSpeechRecognition = window.SpeechRecognition = class {
  start() { setTimeout(() => { this.onresult({ results: [[{ transcript: "kim dot lee at example dot com" }]] }); this.onend(); }); }
  stop() {}
};
"""
"""A browser's ears and mouth, which a headless one has not."""


@pytest.fixture
def visitor(person, site):
    """A visitor who has begun a conversation about these details."""

    def begin(*fields, speech=False, channel="chat", language="English"):
        page = person(None)
        if speech:
            page.add_init_script(SPEECH)
        page.goto(f"{site.url}/try/")
        for box in page.get_by_role("checkbox").filter(has_not=page.locator("#aloud")).all():
            box.set_checked(box.get_attribute("value") in fields)
        page.get_by_label("Language of the conversation").select_option(language)
        page.get_by_label("Channel").select_option(channel)
        page.get_by_role("button", name="Start").click()
        expect(page.locator("#talk li").first).to_be_visible()
        return page

    return begin


def turn(page, text, says):
    page.get_by_label("Your turn").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator("#talk li").last).to_contain_text(says)


def lit(page, field):
    return page.locator(f"[data-field={field}] [aria-current=step]")


def test_each_node_lights_up_and_the_value_is_shown_when_it_is_stored(visitor):
    page = visitor("email")
    expect(lit(page, "email")).to_have_text("asks")
    turn(page, "kim dot lee at example", "missing what comes after the at sign")
    expect(page.locator("[data-field=email]")).to_contain_text("Failed attempts: 1 of 3")
    turn(page, "kim dot lee at example dot com", "Is that")
    expect(lit(page, "email")).to_have_text("reads back")
    expect(page.locator("[data-field=email]")).to_contain_text("kim.lee@example.com")
    turn(page, "yes", "")
    expect(lit(page, "email")).to_have_text("confirmed")
    expect(page.locator("[data-field=email] .stored")).to_have_text("kim.lee@example.com (checked for its form)")
    expect(page.locator("#live")).to_have_text("All details are settled.")
    page.reload()
    expect(page.locator("#talk li.user")).to_have_count(3)
    assert page.locator(".log").evaluate("log => log.scrollTop + log.clientHeight >= log.scrollHeight - 2")


def test_replies_are_said_aloud_and_the_microphone_is_heard(visitor):
    page = visitor("email", speech=True, channel="voice")
    page.get_by_label("Say replies aloud").check()
    page.get_by_role("button", name="Speak").click()
    expect(page.locator("#talk li.user")).to_contain_text("kim dot lee at example dot com")
    expect(lit(page, "email")).to_have_text("reads back")
    [[language, said]] = page.evaluate("() => spoken")
    assert language == "en-US"
    assert "K, I, M as in Mike, dot, L, E as in Echo, E as in Echo" in said


def test_a_person_takes_over_and_the_page_goes_on(visitor, site, person, keys):
    page = visitor("order_id")
    for text in ("HL-1", "<b>HL-2</b>"):
        turn(page, text, "once more" if text != "HL-1" else "Please type")
    turn(page, "HL-3", "a colleague will finish it")
    expect(lit(page, "order_id")).to_have_text("to a person")
    expect(page.locator("#talk li.user").nth(1)).to_contain_text("<b>HL-2</b>")
    href = page.get_by_role("link", name="Open the desk").get_attribute("href")
    ana = person("ana")
    ana.goto(site.url + href)
    keys(ana, "While you hold it").press("c")
    keys(ana, "You hold this ticket.").press("v")
    ana.keyboard.type("hl 204117")
    expect(ana.locator("#verdict output")).to_have_text("HL-204117")
    ana.keyboard.press("Enter")
    expect(page.locator("#talk li").last).to_contain_text("A colleague has entered your reference number for you.")
    expect(page.locator("[data-field=order_id] .stored")).to_have_text("HL-204117 (given by a person at the desk)")


def test_the_conversation_speaks_the_chosen_language(visitor):
    page = visitor("phone", language="Deutsch")
    expect(page.locator("#talk li").last).to_contain_text("Telefonnummer")
    assert page.locator("#talk li span").last.get_attribute("lang") == "de-DE"
