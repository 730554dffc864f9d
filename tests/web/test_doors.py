"""Access: only a browser that was let in gets answers, and only from a workbench page."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from patience import PATIENCE
from workbench import Bench, served

HeaderLines = tuple[tuple[str, str], ...]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench with a piece of work."""
    folder = tmp_path_factory.mktemp("doors")
    with served(folder / "state", [folder]) as own:
        own.begin()
        yield own


def asked(bench: Bench, method: str, path: str, headers: HeaderLines, body: bytes = b"") -> int:
    """Send a request with only these headers, including repeated ones; give the status."""
    connection = HTTPConnection("127.0.0.1", bench.port, timeout=PATIENCE)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    if method != "GET":
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    assert b"Table</th>" not in answer.read() or answer.status == 200
    connection.close()
    return answer.status


def own(bench: Bench) -> dict[str, str]:
    """Give the headers of a request that is answered."""
    (cookie,) = (f"{key}={value}" for key, value in bench.cookies.items())
    return {"Host": f"127.0.0.1:{bench.port}", "Cookie": cookie}


def with_own(bench: Bench, **changed: str | tuple[str, ...] | None) -> HeaderLines:
    """Give them with changes; None leaves one out, several values send it as often."""
    found: list[tuple[str, str]] = []
    for name, value in {**own(bench), **changed}.items():
        values = () if value is None else (value,) if isinstance(value, str) else value
        found += [(name.replace("_", "-"), one) for one in values]
    return tuple(found)


def works(bench: Bench) -> int:
    """Count the pieces of work."""
    return len([*bench.state.glob("*/session.json")])


def test_the_witness_is_let_in(bench: Bench) -> None:
    """All refusals below are of requests that differ in one thing from these."""
    assert asked(bench, "GET", "/", with_own(bench)) == 200
    origin = f"http://127.0.0.1:{bench.port}"
    before = works(bench)
    assert asked(bench, "POST", "/piece", with_own(bench, Origin=origin)) == 303
    assert works(bench) == before + 1


def test_nothing_is_answered_without_the_cookie(bench: Bench) -> None:
    """Neither a page, nor a file, nor whether there is one."""
    other = f"roadstead-{bench.port + 1}={next(iter(bench.cookies.values()))}"
    for path in ("/", "/static/htmx.js", "/piece/000000000000/data", "/nothing"):
        for cookie in (None, "", f"roadstead-{bench.port}=wrong", other):
            assert asked(bench, "GET", path, with_own(bench, Cookie=cookie)) == 403, (path, cookie)


def test_the_token_lets_in_once(bench: Bench) -> None:
    """It was used up by the browser; no other browser gets a cookie for it."""
    spent = bench.entrance.removeprefix(bench.address)
    for path in (spent, "/enter", "/enter?token=", "/enter?token=wrong", f"{spent}&token=x"):
        answer = bench.request("GET", path, headers={"Cookie": None})
        assert answer.status == 403, path
        assert answer.headers.get("set-cookie") is None, path
    again = bench.request("GET", spent)
    assert (again.status, again.location) == (303, "/")
    assert again.headers.get("set-cookie") is None


def test_what_only_looks_at_the_link_does_not_spend_the_token(tmp_path: Path) -> None:
    """A program that requests the head of an address opens nothing."""
    with served(tmp_path / "state", [tmp_path], enter=False) as fresh:
        link = fresh.entrance.removeprefix(fresh.address)
        assert fresh.request("HEAD", link).status == 403
        assert fresh.request("GET", link, headers={"Sec-Fetch-Site": "cross-site"}).status == 403
        assert fresh.request("GET", link, headers={"Sec-Fetch-Site": "none"}).status == 303
        assert fresh.get("/").status == 200


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "rebound.example:{port}",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.2:{port}",
        "[::1]:{port}",
        "0.0.0.0:{port}",
        "localhost.:{port}",
        "127.0.0.1:{port}@rebound.example",
        ("127.0.0.1:{port}", "rebound.example:{port}"),
        ("127.0.0.1:{port}", "127.0.0.1:{port}"),
    ],
    ids=str,
)
def test_only_a_name_of_this_machine_is_answered(
    bench: Bench, host: str | tuple[str, ...] | None
) -> None:
    """A page elsewhere whose name leads here asks by its own name, and gets nothing."""
    if host is not None:
        texts = (host,) if isinstance(host, str) else host
        host = tuple(one.format(port=bench.port) for one in texts)
    assert asked(bench, "GET", "/", with_own(bench, Host=host)) in (400, 403)


def test_the_machine_may_be_called_localhost(bench: Bench) -> None:
    """As people type it."""
    assert asked(bench, "GET", "/", with_own(bench, Host=f"localhost:{bench.port}")) == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "http://rebound.example",
        "http://127.0.0.1",
        "http://127.0.0.1:{other}",
        "https://127.0.0.1:{port}",
        "http://127.0.0.1:{port}.rebound.example",
        ("http://127.0.0.1:{port}", "http://rebound.example"),
    ],
    ids=str,
)
def test_only_a_page_of_the_workbench_changes_anything(
    bench: Bench, method: str, origin: str | tuple[str, ...] | None
) -> None:
    """With the cookie that a browser sends along, and another page's origin or none."""
    if origin is not None:
        texts = (origin,) if isinstance(origin, str) else origin
        origin = tuple(one.format(port=bench.port, other=bench.port + 1) for one in texts)
    before = works(bench)
    assert asked(bench, method, "/piece", with_own(bench, Origin=origin)) == 403
    assert works(bench) == before


@pytest.mark.parametrize("site", ["cross-site", "same-site", "CROSS-SITE", ""])
def test_another_page_asks_for_nothing(bench: Bench, site: str) -> None:
    """Not even for a picture; a browser says who asks."""
    assert asked(bench, "GET", "/", with_own(bench, Sec_Fetch_Site=site)) == 403
    assert asked(bench, "GET", "/", with_own(bench, Sec_Fetch_Site="none")) == 200
    assert asked(bench, "GET", "/", with_own(bench, Sec_Fetch_Site="same-origin")) == 200


def test_cookies_of_other_programs_do_not_lock_out(bench: Bench) -> None:
    """All ports of a machine share their cookies, and some are written oddly."""
    cookie = own(bench)["Cookie"]
    for odd in ('a={"x": [1, 2]}', "b=\x80\xff", "=c", "d", 'e="', "f=;;"):
        sent = with_own(bench, Cookie=f"{odd}; {cookie}; {odd}")
        assert asked(bench, "GET", "/", sent) == 200, odd


def test_every_answer_says_what_a_browser_may_do_with_it(bench: Bench) -> None:
    """Pages, pieces, files, refusals and what is not there."""
    for path in ("/", "/static/workbench.js", "/nothing", "/piece/000000000000/data", "/enter"):
        for cookie in ({}, {"Cookie": ""}):
            found = bench.request("GET", path, headers=cookie).headers
            policies = found.get_all("content-security-policy") or []
            assert len(policies) == 1
            assert "default-src 'none'" in policies[0]
            assert "'unsafe" not in policies[0]
            assert found["x-content-type-options"] == "nosniff"
            assert found["x-frame-options"] == "DENY"
            assert found["cross-origin-resource-policy"] == "same-origin"
            assert found["access-control-allow-origin"] is None
            assert found["referrer-policy"] == "same-origin"


def test_the_cookie_is_for_this_page_alone(tmp_path: Path) -> None:
    """No script reads it, and no other site's page has it sent along."""
    with served(tmp_path / "state", [tmp_path], enter=False) as fresh:
        (cookie,) = fresh.enter().headers.get_all("set-cookie") or [""]
        assert {"httponly", "samesite=strict"} <= {
            part.strip().lower() for part in cookie.split(";")
        }


@pytest.mark.parametrize(
    "path",
    [
        "/static/../serve.py",
        "/static/..%2fserve.py",
        "/static/%2e%2e%2f%2e%2e%2fserve.py",
        "/static/..%5cserve.py",
        "/static/%00workbench.css",
        "/static//etc/passwd",
        "/static/page.css%00.css",
        "/piece/../data",
        "/piece/..%2f..%2fetc/data",
        "/piece/%2e%2e/data",
        "/piece/" + "a" * 3000 + "/data",
        "/piece/%c2%b2%c2%b2/data",
        "/piece/{session}/jobs/..%2f..%2fsession",
        "/piece/{session}/jobs/%2e%2e",
        "/piece/{session}/jobs/scan-1%00",
        "/piece/{session}/jobs/" + "a" * 3000,
        "/piece/{session}/jobs/../../session/events",
        "//127.0.0.1/",
    ],
)
def test_names_in_addresses_lead_nowhere(bench: Bench, path: str) -> None:
    """Names of files, sessions and jobs are words, and not parts of paths."""
    session = next(bench.state.glob("*/session.json")).parent.name
    answer = bench.request("GET", path.replace("{session}", session))
    assert answer.status in (404, 422), answer.text
    assert "defect" not in answer.text


def test_endless_headers_are_refused_and_the_next_is_answered(bench: Bench) -> None:
    """A header of megabytes, many headers, a line that never ends."""
    start = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{bench.port}\r\n".encode()
    for more in (b"Cookie: " + b"a" * (1 << 22), b"A: b\r\n" * 300_000, b"\x00" * (1 << 20)):
        with socket.create_connection(("127.0.0.1", bench.port), timeout=PATIENCE) as line:
            try:
                line.sendall(start + more)
                said = line.recv(1 << 16)
            except ConnectionError:
                said = b""
        assert not said.startswith(b"HTTP/1.1 200")
        assert bench.get("/").status == 200


def test_slow_clients_keep_nobody_waiting(bench: Bench) -> None:
    """Lines that say half a request, or nothing, and do not hang up."""
    lines = [
        socket.create_connection(("127.0.0.1", bench.port), timeout=PATIENCE) for _ in range(200)
    ]
    for line in lines[::2]:
        line.sendall(b"POST /piece HTTP/1.1\r\nHost: 127.0.")
    assert bench.get("/").status == 200
    for line in lines:
        line.close()


def test_a_refusal_in_a_browser_leads_back(bench: Bench) -> None:
    """A form that sends no origin must not end on a page without a link."""
    connection = HTTPConnection("127.0.0.1", bench.port, timeout=PATIENCE)
    connection.request("POST", "/", b"", {**own(bench), "Origin": "null"})
    answer = connection.getresponse()
    assert answer.status == 403
    assert b'<a href="/">' in answer.read()
    connection.close()
