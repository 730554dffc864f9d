"""On the page, a written release is attacked, and its determination is written."""

from __future__ import annotations

import html
import io
import json
import os
import re
import shlex
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import run
from pdf_text import texts_of
from workbench import Answer, Bench, served

import roadstead as rs


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench that may use the folder `allowed`."""
    folder = tmp_path_factory.mktemp("evidence")
    (folder / "allowed").mkdir()
    with served(folder / "state", [folder / "allowed"]) as bench:
        yield bench


@pytest.fixture(scope="module")
def out(bench: Bench) -> Path:
    """Where the release is written."""
    return bench.state.parent / "allowed" / "release"


@pytest.fixture(scope="module")
def piece(bench: Bench, out: Path) -> str:
    """A piece of work whose release was written."""
    rows = [
        f"Person {i};{20 + i * 7 % 60};{'fm'[i % 2]};{10000 + i % 9 * 111};d{i % 5}"
        for i in range(300)
    ]
    table = out.parent / "patients.csv"
    table.write_text("\n".join(["name;age;sex;zip;diagnosis", *rows, ""]))
    piece = bench.begin()
    bench.open(piece, str(table))
    bench.choose(
        piece,
        f"""data = {json.dumps(str(table))}
[reading]
delimiter = ";"
[roles]
quasi = ["age", "sex", "zip"]
sensitive = ["diagnosis"]
identifiers = ["name"]
""",
    )
    bench.post(f"{piece}/release/prepare")
    prepared = bench.wait(piece, "prepare")
    assert prepared["state"] == "done", prepared["error"]
    bench.post(f"{piece}/release/write", out=str(out))
    assert bench.wait(piece, "write")["state"] == "done"
    return piece


def copied(page: str, name: str) -> str:
    """Give what is to be copied from a page."""
    found = re.search(rf'id="{name}"[^>]*>(.*?)</pre>', page, re.DOTALL)
    assert found is not None
    return html.unescape(found[1])


def attacked(bench: Bench, piece: str, **form: str) -> str:
    """Attack what was written, and give the page."""
    answer = bench.post(f"{piece}/release/attack", **form)
    assert answer.status == 303, answer.text
    record = bench.wait(piece, "attack")
    assert record["state"] == "done", record
    return bench.get(f"{piece}/release").text


def test_what_was_found_is_shown_and_the_command_finds_the_same(
    bench: Bench, piece: str, out: Path
) -> None:
    """Judged by the table that the page read, as it was read; nothing of a record is shown."""
    before = (out / "certificate.json").read_bytes()
    page = attacked(bench, piece)
    assert "None reveals more than the privacy requirements allow" in page
    assert "Linkage with a register" in page
    assert "Person 1" not in page
    assert (out / "certificate.json").read_bytes() == before
    program, *arguments = shlex.split(copied(page, "attack-command"))
    assert program == "roadstead"
    found = run(*arguments, "--json").json["attacks"]
    call = copied(page, "attack-call").replace("rs.attack(", "found = rs.attack(")
    known: dict[str, rs.AttackFinding] = {}
    exec(call, known)  # noqa: S102 - what a reader copies
    assert known["found"].to_dict()["attacks"] == found


def test_certified_attacks_go_into_the_folder_and_the_page_knows(
    bench: Bench, piece: str, out: Path
) -> None:
    """The archive has their page; the report describes them; the results are about it alone."""
    page = attacked(bench, piece, certify="yes")
    assert "The results were added to" in page
    assert rs.verify(out).passed
    assert "Attacks on this release" in bench.get(f"{piece}/release/files/report.html").text
    shown = bench.get(f"{piece}/release/files/attacks.html")
    assert shown.body == (out / "attacks.html").read_bytes()
    assert shown.headers["content-security-policy"].startswith("sandbox")
    with zipfile.ZipFile(io.BytesIO(bench.get(f"{piece}/release/archive").body)) as z:
        assert {*z.namelist()} == {f"release/{one.name}" for one in out.iterdir()}
    assert "the results of the attacks are consistent" in page
    verdict = re.search(r'id="verdict">(.*?)</p>', page)
    assert verdict is not None
    assert html.unescape(verdict[1]) in run("verify", out).out
    assert "attacks" in verdict[1]  # the checks that were not possible

    sent = bench.post(f"{piece}/release/write", out=str(out), replace="yes")
    assert sent.status == 303, sent.text
    assert bench.wait(piece, "write")["state"] == "done"
    page = bench.get(f"{piece}/release").text
    assert "Attacks on this release" not in page
    assert "Attack the release before you share it" in page


def test_an_attack_that_is_stopped_leaves_the_release_as_it_was(
    bench: Bench, piece: str, out: Path
) -> None:
    """However often one asks it to end."""
    before = {one.name: one.read_bytes() for one in out.iterdir()}
    bench.post(f"{piece}/release/attack", certify="yes")
    state = json.loads((bench.folder(piece) / "session.json").read_text("utf-8"))
    for _ in range(2):
        bench.post(f"{piece}/jobs/{state['attack_job']}/stop")
    assert bench.wait(piece, "attack")["state"] == "stopped"
    assert {one.name: one.read_bytes() for one in out.iterdir()} == before
    assert rs.verify(out).passed


@pytest.mark.nightly
def test_another_table_than_the_original_is_no_judge(bench: Bench, piece: str, out: Path) -> None:
    """It was changed since the release was written."""
    table = out.parent / "patients.csv"
    content, before = table.read_text(), table.stat()
    table.write_text("\n".join(content.splitlines()[:100]) + "\n")
    bench.post(f"{piece}/release/attack")
    record = bench.wait(piece, "attack")
    table.write_text(content)
    os.utime(table, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert record["state"] == "failed"
    assert "300 records" in str(record["error"])
    assert "300 records" in bench.get(f"{piece}/release").text


def answered(bench: Bench, piece: str, **form: str) -> Answer:
    """Send a part of the determination with the reasons of the columns, which are in part 4."""
    page = bench.get(f"{piece}/release/determination?part=4").text
    hidden = dict(re.findall(r'name="(seen|before)" value="([^"]*)"', page))
    columns = [html.unescape(one) for one in re.findall(r'name="column" value="([^"]*)"', page)]
    asked = {"column": columns, "reason": [f"for {one}" for one in columns], "dialect": "hipaa"}
    return bench.post(f"{piece}/release/determination", **{**hidden, **asked, **form})


def test_answers_of_the_page_become_documents_and_a_file_to_take_along(
    bench: Bench, piece: str, tmp_path: Path
) -> None:
    """The file holds what was typed, so the command line writes the same."""
    expert = {"expert.name": "Ana <b>", "expert.conclusion": 'Very "small".\nI say.'}
    days = {"expert.date": "2026-03-01", "threshold.value": "0.2", "recipient.model": "outside"}
    sent = answered(bench, piece, **expert, **days, then="write")
    assert sent.status == 303, sent.text
    record = bench.wait(piece, "determine")
    assert record["state"] == "done", record["error"]
    page = bench.get(f"{piece}/release").text
    assert "Determination made by Ana &lt;b&gt;." in page
    shown = bench.get(f"{piece}/release/determination/files/hipaa.html")
    assert shown.headers["content-security-policy"].startswith("sandbox")
    assert "Ana &lt;b&gt;" in shown.text
    assert "for diagnosis" in shown.text
    assert bench.get(f"{piece}/release/determination/files/..%2f..%2fsession.json").status == 404
    with zipfile.ZipFile(io.BytesIO(bench.get(f"{piece}/release/determination/archive").body)) as z:
        assert {"determination/hipaa.html", "determination/determination.json"} <= {*z.namelist()}

    (tmp_path / "determination.toml").write_bytes(
        bench.get(f"{piece}/release/determination/questions").body
    )
    program, *arguments = shlex.split(copied(page, "determine-command"))
    assert program == "roadstead"
    places = {
        "determination.toml": tmp_path / "determination.toml",
        "determination": tmp_path / "d",
    }
    assert run(*(places.get(one, one) for one in arguments)).code == 0
    (again,) = json.loads((tmp_path / "d" / "determination.json").read_text())["dialects"]
    with zipfile.ZipFile(io.BytesIO(bench.get(f"{piece}/release/determination/archive").body)) as z:
        (first,) = json.loads(z.read("determination/determination.json"))["dialects"]
    assert again["points"] == first["points"]


def test_the_pdf_of_the_page_is_tagged_and_says_what_the_page_says(
    bench: Bench, piece: str
) -> None:
    """Every sentence of a point is in both."""
    pytest.importorskip("typst")
    assert 'name="pdf"' in bench.get(f"{piece}/release/determination?part=13").text
    assert (
        answered(bench, piece, **{"expert.name": "Ana Ruiz"}, pdf="yes", then="write").status == 303
    )
    record = bench.wait(piece, "determine")
    assert record["state"] == "done", record["error"]
    files = f"{piece}/release/determination/files"
    assert f"{files}/hipaa.pdf" in bench.get(f"{piece}/release").text
    sent = bench.get(f"{files}/hipaa.pdf")
    assert sent.headers["content-type"] == "application/pdf"
    assert all(one in sent.body for one in (b"%PDF-", b"pdfuaid:part", b"/StructTreeRoot"))
    texts = texts_of(sent.body)
    page = bench.get(f"{files}/hipaa.html").text
    points = "".join(re.findall(r'<h3 id="point-.*?(?=<h3|</section)', page, re.DOTALL))
    said = [html.unescape(one) for one in re.findall(r">([^<>]{12,})<", points)]
    assert len(said) > 50
    assert [one for one in said if not any("".join(one.split()) in text for text in texts)] == []


@pytest.mark.quick(4)
@pytest.mark.parametrize("part", range(1, 13))
def test_each_part_writes_the_documents(bench: Bench, piece: str, part: int) -> None:
    """The list of dialects is on the last part alone. A refusal saves nothing."""
    address = f"{piece}/release/determination"
    page = bench.get(f"{address}?part={part}").text
    names = re.findall(r'<(?:textarea|input|select)[^>]* name="([^"]+)"', page)
    assert "dialect" not in names
    form = dict(re.findall(r'name="(seen|before)" value="([^"]*)"', page))
    refused = bench.post(address, **form, **{"expert.name": "Ana"}, dialect="x", then="write")
    assert (refused.status, "this dialect does not exist" in refused.text) == (422, True)
    sent = bench.post(address, **form, **{"expert.name": f"Expert {part}"}, then="write")
    assert sent.status == 303, sent.text
    assert bench.wait(piece, "determine")["state"] == "done"
    assert f"Expert {part}" in bench.get(f"{address}?part=1").text


def test_an_answered_file_is_brought_back(bench: Bench, piece: str) -> None:
    """Its answers are in the form; one about another release is refused, and nothing is lost."""
    assert answered(bench, piece, **{"expert.name": "Bo"}).status == 303
    sent = answered(bench, piece, **{"recipient.who": "A board"}, then="3")  # a part of its own
    assert sent.location.endswith("/release/determination?part=3")
    assert "Part 3 of 13" in bench.get(sent.location).text
    shown = [bench.get(f"{piece}/release/determination?part={part}").text for part in (1, 2)]
    assert "\nBo</textarea>" in shown[0]
    assert "\nA board</textarea>" in shown[1]
    assert re.search(r"[1-6] of 6 questions answered", shown[0])
    file = bench.get(f"{piece}/release/determination/questions").text
    assert brought(bench, piece, file.replace('"Bo"', '"Cy"')).status == 303
    assert 'value="for age"' in bench.get(f"{piece}/release/determination?part=4").text
    other = re.sub('certificate = "[0-9a-f]{64}"', f'certificate = "{"0" * 64}"', file)
    for text, said in ((other, "is not about this release"), ("= 1", "not valid TOML")):
        answer = brought(bench, piece, text)
        assert (answer.status, said in answer.text) == (422, True), answer.text
    page = bench.get(f"{piece}/release/determination").text
    assert "\nCy</textarea>" in page
    assert not (bench.folder(piece) / "uploaded.toml").exists()


def brought(bench: Bench, piece: str, text: str) -> Answer:
    """Send a file as a browser does."""
    head = 'content-disposition: form-data; name="file"; filename="determination.toml"'
    body = f"--x\r\n{head}\r\n\r\n{text}\r\n--x--\r\n".encode()
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    return bench.request("POST", f"{piece}/release/determination/file", body, kind)


def test_what_is_no_answer_is_refused_by_the_name_of_its_question(bench: Bench, piece: str) -> None:
    """And what another tab changed is not overwritten."""
    before = bench.get(f"{piece}/release/determination/questions").text
    sent = answered(bench, piece, **{"threshold.value": "nine"})
    assert sent.status == 422, sent.text
    assert "Threshold: the answer is not a number" in sent.text
    for hidden, said in (("seen", "the release"), ("before", "an answer")):
        sent = answered(bench, piece, **{hidden: "0" * 16})
        assert (sent.status, f"another tab changed {said}" in sent.text) == (422, True)
    assert bench.get(f"{piece}/release/determination/questions").text == before


@pytest.mark.nightly
def test_answers_do_not_outlive_the_release_that_they_are_about(
    bench: Bench, piece: str, out: Path
) -> None:
    """They stay in the form, and a person reviews them."""
    answered(bench, piece, **{"expert.name": "Bo"}, then="write")
    assert bench.wait(piece, "determine")["state"] == "done"
    sent = bench.post(f"{piece}/release/write", out=str(out), replace="yes")
    assert sent.status == 303, sent.text
    assert bench.wait(piece, "write")["state"] == "done"
    attacked(bench, piece, certify="yes")
    assert "about an earlier release" in bench.get(f"{piece}/release/determination").text
    assert "These documents describe an earlier release" in bench.get(f"{piece}/release").text
    assert answered(bench, piece, **{"expert.name": "Bo"}).status == 303
    assert "about an earlier release" not in bench.get(f"{piece}/release/determination").text
