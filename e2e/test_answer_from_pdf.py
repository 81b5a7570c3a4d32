"""A PDF, a real model that decides to look into it, and a number that leads to the page."""

import re

import pytest
from playwright.sync_api import expect

from e2e.talk import answers, ask, body, last_answer

pytestmark = pytest.mark.model
PATIENCE = 120_000
TRIES = 12
FACT = "The notice period of this lease is ninety days, in writing."
ROOMS = ("kitchen", "hall", "cellar", "attic", "study", "garage", "pantry", "porch", "landing")
# Long enough that no passage goes over two pages.
PAGES = (
    [f"The {room} is let with all of its furniture and its lamps." for room in ROOMS],
    ["Notice.", FACT, *(f"A key of the {room} is handed back on the last day." for room in ROOMS)],
    [f"The windows of the {room} are cleaned by the tenant in spring." for room in ROOMS],
)


def pdf_of(pages):
    """A PDF with one line of text below the other on each page."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, lines in enumerate(pages):
        shown = " ".join(f"({line}) Tj 0 -20 Td" for line in lines)
        stream = f"BT /F1 12 Tf 72 720 Td {shown} ET"
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font "
            f"<< /F1 3 0 R >> >> /Contents {5 + 2 * n} 0 R >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    tail = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return out + (head + tail).encode()


def wait_for_answer(page, count):
    expect(answers(page)).to_have_count(count, timeout=PATIENCE)
    foot = last_answer(page).locator(".foot")
    expect(foot.get_by_label("Details")).to_be_visible(timeout=PATIENCE)


def test_a_question_about_a_pdf_is_answered_with_a_number_that_opens_its_page(
    start_server, open_page, tmp_path
):
    bounds = ("--context-tokens", "2048", "--max-output-tokens", "80")
    variables = {"STRATA_FILE_USE": "embeddings", "STRATA_RETRIEVAL_LIMIT": "1"}
    server = start_server("--small", *bounds, engine="llama_cpp", variables=variables)
    page = open_page(server.address)
    ask(page, "Hello!")
    wait_for_answer(page, 1)
    file = tmp_path / "lease.pdf"
    file.write_bytes(pdf_of(PAGES))
    page.locator("#attach-files").set_input_files(file)
    expect(page.locator(".chip.ready")).to_have_count(1, timeout=PATIENCE)

    ask(page, "How long is the notice period of the lease? Answer in one sentence.")
    wait_for_answer(page, 2)
    last_answer(page).locator("summary").get_by_text("Searched your files").click()
    expect(last_answer(page).get_by_text("the model decided")).to_be_visible()
    number = last_answer(page).get_by_role("link", name="similar passage in lease.pdf").first
    for _ in range(TRIES):
        expect(last_answer(page).locator(".checking")).to_have_count(0, timeout=PATIENCE)
        if number.count() and "ninety" in body(last_answer(page)).inner_text().lower():
            break
        # So small a model is not right each time.
        before = last_answer(page).get_attribute("id")
        last_answer(page).get_by_role("button", name="Answer again").click()
        expect(page.locator(f"#{before}")).to_have_count(0)
        wait_for_answer(page, 2)
    expect(body(last_answer(page))).to_contain_text("ninety")
    number.click()
    passage = page.locator("#passage-panel")
    # A passage begins with the end of the one before it.
    expect(passage).to_contain_text(re.compile(r"p\. 2 |pp\. 1–2 "))
    expect(passage.locator("mark")).to_contain_text("ninety days")
