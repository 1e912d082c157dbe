"""The desk in a browser: the whole way of a ticket, two people who want the same one, holds that end, stale answers."""

from __future__ import annotations

from playwright.sync_api import expect

HEARD = ("HL-204117", "HL-2O4117", "HL-204171")


def open_ticket(page, site, ticket):
    page.goto(f"{site.url}/desk/tickets/{ticket}")
    return page


def take(page, site, ticket):
    open_ticket(page, site, ticket).get_by_role("button", name="Take this ticket").click()
    expect(page.get_by_text("You hold this ticket.")).to_be_visible()


def test_two_people_want_one_ticket_and_one_resolves_it(site, person):
    ticket = site.ticket("HL-204118", "HL-204178")
    ana, ben = (open_ticket(person(name), site, ticket) for name in ("ana", "ben"))
    ana.get_by_role("button", name="Take this ticket").click()
    ben.get_by_role("button", name="Take this ticket").click()
    expect(ben.get_by_role("alert")).to_have_text("ana was faster and holds this ticket.")
    expect(ben.get_by_role("button", name="Take this ticket")).to_have_count(0)

    expect(ana.locator("#secret")).not_to_contain_text("HL-204118")
    expect(ana.locator("#secret")).to_contain_text("••-••••••")
    ana.get_by_role("button", name="Show the values").click()
    expect(ana.locator("#secret")).to_contain_text("I have HL-204118. Is that right?")
    assert ana.locator("mark").all_inner_texts() == ["1", "7"]

    box, verdict = ana.get_by_label("The order number"), ana.locator("#verdict")
    box.press_sequentially("HL-20411")
    expect(verdict).to_contain_text("This does not fit:")
    expect(box).to_have_attribute("aria-invalid", "true")
    box.press_sequentially("8")
    expect(verdict.locator("output")).to_have_text("HL-204118")
    expect(verdict).to_contain_text("Said aloud:")
    ana.get_by_role("button", name="Resolve with this value").click()
    expect(ana.get_by_text("Resolved. The conversation goes on with your value.")).to_be_focused()

    expect(
        open_ticket(ben, site, ticket).get_by_text("This ticket is closed: Resolved, with a value, by ana.")
    ).to_be_visible()
    answer = site.answer(ticket)
    assert (answer["kind"], answer["value"], answer["by"]) == ("value", "HL-204118", "ana")
    assert site.done(ticket) == ["filed", "claimed", "revealed", "resolved", "taken up"]


def test_a_token_lets_in_and_nothing_else(site, person):
    page = person(None)
    page.goto(f"{site.url}/desk/tickets/rb-1")
    page.get_by_label("Your desk token").fill("somebody-elses-token")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("That is nobody's token.")
    page.get_by_label("Your desk token").fill(site.tokens["ana"])
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{site.url}/desk/tickets/rb-1")
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{site.url}/desk/")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto(f"{site.url}/desk/sign-in#token={site.tokens['ana']}")  # the link that `readback desk` prints
    expect(page.get_by_text("Signed in as ana")).to_be_visible()


def test_what_does_not_fit_is_not_sent(site, person):
    ticket, ana = site.ticket(*HEARD), person("ana")
    take(ana, site, ticket)
    ana.get_by_label("The order number").fill("HL-1")
    ana.get_by_role("button", name="Resolve with this value").click()
    expect(ana.get_by_role("alert").first).to_contain_text("This does not fit: That seems too short")
    expect(ana.get_by_label("The order number")).to_have_value("HL-1")
    assert site.answer(ticket) is None


def test_a_page_that_is_open_keeps_its_hold(site, person):
    ticket, ana = site.ticket(*HEARD), person("ana")
    take(ana, site, ticket)
    before = site.desk.ticket(ticket)["lease_until"]
    expect(ana.locator("#left")).to_contain_text("Yours for 0:0")
    with ana.expect_response("**/heartbeat"):
        pass
    assert site.desk.ticket(ticket)["lease_until"] > before


def test_a_hold_that_ended_hides_the_values_and_refuses_the_answer(site, person):
    ticket, ana, ben = site.ticket(*HEARD), person("ana"), person("ben")
    take(ana, site, ticket)
    ana.get_by_role("button", name="Show the values").click()
    expect(ana.locator("#secret")).to_contain_text("HL-204117")
    late = ana.context.new_page()  # the same person's second window, which has no heartbeat left to send
    late.faults = []
    late.route(
        "**/*",
        lambda route: (
            route.abort() if "heartbeat" in route.request.url or ".js" in route.request.url else route.continue_()
        ),
    )
    open_ticket(late, site, ticket).get_by_label("The order number").fill("HL-204117")
    site.clock.ahead += 60
    take(ben, site, ticket)
    expect(ana.locator("#lost")).to_contain_text("Your hold on this ticket ran out.")
    expect(ana.locator("#secret")).to_have_count(0)
    expect(ana.get_by_role("button", name="Resolve with this value")).to_be_disabled()
    late.get_by_role("button", name="Resolve with this value").click()
    expect(late.get_by_role("alert").first).to_have_text("Your answer was not used: ben holds this ticket now.")
    assert site.answer(ticket) is None
    assert site.desk.ticket(ticket)["claimed_by"] == "ben"


def test_a_stale_answer_is_refused_loudly(site, person):
    ticket, ana = site.ticket(*HEARD), person("ana")
    take(ana, site, ticket)
    ana.locator("#do-resolve input[name=revision]").evaluate("input => input.value = 0")
    ana.get_by_label("The order number").fill("HL-204117")
    ana.get_by_role("button", name="Resolve with this value").click()
    expect(ana.get_by_role("alert").first).to_contain_text("Your answer was not used: the conversation has moved on")
    assert site.answer(ticket) is None


def test_an_answer_to_what_the_conversation_settled_is_refused_loudly(site, person):
    ticket, ana = site.ticket(*HEARD), person("ana")
    take(ana, site, ticket)
    ana.get_by_label("The order number").fill("HL-204117")
    site.desk.withdraw(ticket, "proposed")
    ana.get_by_role("button", name="Resolve with this value").click()
    expect(ana.get_by_role("alert").first).to_have_text("Your answer was not used: this ticket is closed already.")
    expect(ana.locator("#acts")).to_contain_text("This ticket is closed: Returned, the user gave a value")
    assert site.answer(ticket) is None


def test_back_to_the_bot_with_advice_and_closing_without_a_value(site, person):
    again, none, ana = site.ticket(*HEARD), site.ticket(*HEARD), person("ana")
    take(ana, site, again)
    ana.locator("summary").filter(has_text="Back to the bot").click()
    ana.get_by_label("Advice for the user").fill("HL-204117 it is")
    ana.get_by_role("button", name="Let the user try once more").click()
    expect(ana.get_by_role("alert").first).to_contain_text("must not repeat a captured value")
    ana.get_by_label("Advice for the user").fill("It is on your receipt.")
    ana.get_by_role("button", name="Let the user try once more").click()
    expect(ana.get_by_text("Returned. The bot asks the user once more.")).to_be_visible()
    take(ana, site, none)
    ana.locator("summary").filter(has_text="No value").click()
    ana.get_by_role("button", name="Close without a value").click()
    expect(ana.get_by_text("Closed without a value.")).to_be_visible()
    assert (site.answer(again)["kind"], site.answer(again)["advice"]) == ("retry", "It is on your receipt.")
    assert site.answer(none)["kind"] == "decline"


def test_the_queue_stays_fresh_and_is_searched(site, person):
    ana = person("ana")
    phone = site.ticket("+61412345678", field="phone", label="phone number", thread="shop-7")
    site.ticket(*HEARD)
    link = ana.locator(f"[data-ticket={phone}] a")
    expect(link).to_be_visible()  # without a reload
    expect(ana.locator("#live")).to_contain_text("The queue changed")
    link.focus()
    with ana.expect_response("**/rows?*"):
        pass
    expect(link).to_be_focused()
    ana.get_by_label("Search").last.fill("shop-7")
    ana.keyboard.press("Enter")
    expect(ana.locator(".tickets li")).to_have_count(1)
    ana.get_by_label("Search").last.fill("")
    ana.get_by_label("Detail").select_option("phone number")
    ana.get_by_label("Only overdue").check()
    ana.get_by_role("button", name="Show").click()
    expect(ana.get_by_text("Nothing waits here.")).to_be_visible()
    site.clock.ahead += 200
    expect(ana.locator(".badge.late")).to_contain_text("Overdue by")
