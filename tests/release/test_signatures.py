"""Signatures meet their specifications, and any change in a release is found."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import ed25519_by_hand as by_hand
import pytest
from signed_releases import (
    EXPIRES,
    KINDS,
    ROLE,
    SIGNED,
    WHO,
    envelope_of,
    keys,
    put_envelope,
    sign,
    write_release,
)

from roadstead.errors import OutputError, SettingError
from roadstead.release.signing.check import check_signature
from roadstead.release.signing.envelope import (
    SIGNATURE,
    Envelope,
    EnvelopeSignature,
    decoded,
    pre_authentication,
)
from roadstead.release.signing.finding import SignatureFinding
from roadstead.release.signing.keys import (
    PublicKey,
    public_path,
    read_public_key,
    read_signing_key,
    write_signing_key,
)

A_SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
A_PUBLIC = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
"""Test 1 of RFC 8032, section 7.1; key A of DSSE's test vectors."""
TYPE = "application/vnd.in-toto+json"
STATEMENT = "eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pby9TdGF0ZW1lbnQvdjEifQ=="
PLAIN = "2WAfaHm5jluo0w+0rk8uVkluELJYWjSmU9x7EUzx+AyteDGJ4/nqyJXfmAUVFIAoQafWm7AxBZNw5M9ixNHiCA=="
URL_SAFE = (
    "P-_KHICeR7tI6S_YyejJTRtrXhcQyQ2LYPaL8h90KjC9qN8HU_svOQ6TuDOT1HIrsGW886DbWNWcCmX5twLrAw=="
)
ACCENT = "xmSk/ug66ysT7ayhkCIjhAq42zgZXSsEWuzUaNL7w2eGAdF/NU6/fRXPtmfN+5DNSAs5/i2lUnHjbbjPsu0tAw=="
EMPTY = "gSggCAaTLTYyRH6FIDBem6meyIynsYy8RTHVzwx9tnTb7Bg/1jMWnuVgI/gffqmbsC2VX5/jHfkkDqsj7CDbDg=="
VECTORS = [
    (STATEMENT, TYPE, PLAIN, True),
    ("-_-_Pj8=", TYPE, URL_SAFE, True),
    (STATEMENT, "application/vnd.exämple+json", ACCENT, True),
    ("", TYPE, EMPTY, True),
    (STATEMENT, "application/vnd.example.other+json", PLAIN, False),
]
"""Vectors of the DSSE specification (testvectors/vectors.json) that are about one signature."""
DER = bytes.fromhex("302a300506032b6570032100")


def test_the_encoding_is_that_of_the_specification() -> None:
    """Its own example, and lengths in bytes, not in characters."""
    expected = b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    assert pre_authentication("http://example.com/HelloWorld", b"hello world") == expected
    assert pre_authentication("ä", b"") == b"DSSEv1 2 \xc3\xa4 0 "


@pytest.mark.parametrize(("payload", "kind", "signature", "good"), VECTORS)
def test_the_vectors_of_the_specification_hold(
    payload: str,
    kind: str,
    signature: str,
    good: bool,  # noqa: FBT001 - a case
) -> None:
    """In ours, and in what is written down from the specifications in tests/support."""
    envelope = Envelope(payload, kind, (EnvelopeSignature(signature),))
    assert PublicKey(DER + A_PUBLIC).fits(signature, envelope.signed) is good
    assert by_hand.is_signed(A_PUBLIC, envelope.signed, decoded(signature)) is good
    if good:
        assert by_hand.sign(A_SEED, envelope.signed) == decoded(signature)


@pytest.mark.parametrize("text", ["a", "a===", "YQ", "Y Q==", "YQ==\n", "YQ==YQ==", "ÄÄ=="])
def test_what_is_no_base64_is_none(text: str) -> None:
    """Fault class: characters that are dropped, so that two texts are one."""
    with pytest.raises(ValueError, match=r"."):
        decoded(text)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Releases of three kinds, signed, and two keys."""
    folder = tmp_path_factory.mktemp("signed")
    keys(folder, "officer", "stranger")
    for kind in KINDS:
        sign(write_release(kind, folder / kind), folder / "officer")
    return folder


@pytest.fixture(params=KINDS)
def release(place: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of each, to be tampered with."""
    return Path(shutil.copytree(place / request.param / "release", tmp_path / "release"))


@pytest.fixture
def table(place: Path, tmp_path: Path) -> Path:
    """A copy of the first."""
    return Path(shutil.copytree(place / "table" / "release", tmp_path / "table"))


def looked_at(
    release: Path, *trusted: Path, today: date = SIGNED
) -> tuple[SignatureFinding, set[str]]:
    """Give what is found of a signature, and the names of the checks that fail."""
    found, checks = check_signature(
        release, [read_public_key(public_path(one)) for one in trusted], today
    )
    return found, {one.check for one in checks if not one.passed}


WHOLE, OURS, NAMED = (
    "the signature is valid",
    "the signature is for this release",
    "the release is signed with the expected key",
)
EXPIRED, READ = "the signature has not expired", "the signature can be read"


@pytest.mark.quick(1)
def test_other_tools_can_check_a_signature(release: Path, place: Path) -> None:
    """A verification from the specifications alone: DSSE, in-toto's Statement v1, Ed25519."""
    public = by_hand.public_of_pem((place / "officer.pub").read_text("ascii"))
    envelope = envelope_of(release)
    payload = by_hand.signed_payload(envelope, public)
    assert payload is not None
    statement = json.loads(payload)
    assert list(statement) == ["_type", "subject", "predicateType", "predicate"]
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert envelope["payloadType"] == TYPE
    named = {one["name"]: one["digest"]["sha256"] for one in statement["subject"]}
    assert named == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in release.iterdir()
        if path.name != "signature.json"
    }
    der = DER + public
    assert [one["keyid"] for one in envelope["signatures"]] == [hashlib.sha256(der).hexdigest()]
    assert statement["predicate"] | {"software": None} == {
        "signer": {
            "name": WHO,
            "role": ROLE,
            "publicKey": base64.b64encode(der).decode(),
        },
        "signed": SIGNED.isoformat(),
        "expires": EXPIRES.isoformat(),
        "software": None,
    }
    envelope["payloadType"] = "application/json"
    assert by_hand.signed_payload(envelope, public) is None


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_openssl_reads_our_keys_and_checks_our_signatures(place: Path, tmp_path: Path) -> None:
    """A second library, by its command."""
    envelope = envelope_of(place / "table" / "release")
    payload = base64.b64decode(envelope["payload"])
    (tmp_path / "message").write_bytes(
        b"DSSEv1 28 %b %d %b" % (TYPE.encode(), len(payload), payload)
    )
    (tmp_path / "sig").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
    for name, code in (("officer", 0), ("stranger", 1)):
        given = f"-verify -pubin -inkey {place / name}.pub -rawin -in message -sigfile sig"
        done = subprocess.run(
            ["openssl", "pkeyutl", *given.split()],  # noqa: S607 - whichever is there
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        assert done.returncode == code
    made = subprocess.run(
        ["openssl", "pkey", "-in", place / "officer", "-pubout"],  # noqa: S607 - as above
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout == (place / "officer.pub").read_text("ascii")


@pytest.mark.quick(1)
def test_a_whole_signature_is_a_claim_until_its_key_is_trusted(release: Path, place: Path) -> None:
    """And a stranger's key is not the officer's."""
    officer, stranger = place / "officer", place / "stranger"
    found, wrong = looked_at(release)
    assert (found.state, wrong) == ("claimed", set())
    found, wrong = looked_at(release, officer)
    assert (found.state, wrong) == ("trusted", set())
    expected = (WHO, ROLE, SIGNED, EXPIRES, read_public_key(public_path(officer)).id)
    assert (found.signer, found.role, found.signed, found.expires, found.key) == expected
    found, wrong = looked_at(release, stranger)
    assert (found.state, wrong) == ("stranger", {NAMED})
    found, wrong = looked_at(release, stranger, officer)
    assert (found.state, wrong) == ("trusted", set())


def test_who_signs_anew_is_found_out_by_the_key(release: Path, place: Path) -> None:
    """Under the same name: without a key that is trusted it is a claim, as said."""
    sign(release, place / "stranger")
    assert looked_at(release)[0].state == "claimed"
    found, wrong = looked_at(release, place / "officer")
    assert (found.state, wrong) == ("stranger", {NAMED})


def test_an_unsigned_release_fails_only_where_a_key_is_asked_for(
    release: Path, place: Path
) -> None:
    """Fault class: a removed signature remains unnoticed."""
    (release / SIGNATURE).unlink()
    assert looked_at(release) == (SignatureFinding("unsigned"), set())
    assert looked_at(release, place / "officer")[1] == {NAMED}


def test_a_changed_certificate_is_found(release: Path, place: Path) -> None:
    """One byte; also where it means the same."""
    path = release / "certificate.json"
    path.write_bytes(path.read_bytes() + b"\n")
    for trusted in ((), (place / "officer",)):
        found, wrong = looked_at(release, *trusted)
        assert (found.state, wrong >= {OURS}) == ("broken", True)


def test_expiry_counts_in_days(table: Path, place: Path) -> None:
    """The last day counts, the next does not; what is to come does not count yet."""
    for today, wrong in (
        (SIGNED, set()),
        (EXPIRES, set()),
        (EXPIRES + timedelta(1), {EXPIRED}),
        (SIGNED - timedelta(1), set()),
        (SIGNED - timedelta(2), {"the day of the signature is not in the future"}),
    ):
        assert looked_at(table, place / "officer", today=today)[1] == wrong
    sign(table, place / "officer", expires=None)
    assert looked_at(table, place / "officer", today=date.max)[1] == set()


def put(key: str, value: object) -> Callable[[dict[str, Any]], None]:
    """Set one key of the envelope."""

    def change(document: dict[str, Any]) -> None:
        document[key] = value

    return change


def in_statement(*path: str | int, value: object) -> Callable[[dict[str, Any]], None]:
    """Change the statement, and leave the signature unchanged."""

    def change(document: dict[str, Any]) -> None:
        statement = json.loads(base64.b64decode(document["payload"]))
        *before, last = path
        inner: Any = statement
        for key in before:
            inner = inner[key]
        inner[last] = value
        document["payload"] = base64.b64encode(json.dumps(statement).encode()).decode()

    return change


def of_signature(key: str, value: object) -> Callable[[dict[str, Any]], None]:
    """Change the one signature."""

    def change(document: dict[str, Any]) -> None:
        document["signatures"][0][key] = value

    return change


TAMPERED: dict[str, tuple[Callable[[dict[str, Any]], None], set[str]]] = {
    "another type": (put("payloadType", "application/json"), {READ}),
    "no payload": (put("payload", ""), {READ}),
    "a payload that is no base64": (put("payload", "?"), {READ}),
    "a payload that is no JSON": (put("payload", "aGVsbG8="), {READ}),
    "no signatures": (put("signatures", []), {READ}),
    "too many signatures": (put("signatures", [{"sig": "YQ=="}] * 17), {READ}),
    "a key of the stranger's own": (put("note", "trust me"), {READ}),
    "another statement": (in_statement("_type", value="https://example.org"), {READ}),
    "another predicate": (in_statement("predicateType", value="https://example.org"), {READ}),
    "no files": (in_statement("subject", value=[]), {READ}),
    "no public key": (in_statement("predicate", "signer", "publicKey", value="YQ=="), {READ}),
    "a number for a day": (in_statement("predicate", "expires", value=4_000_000_000), {READ}),
    "no signer": (in_statement("predicate", "signer", "name", value=""), {READ}),
    "a long name": (in_statement("predicate", "signer", "name", value="A" * 201), {READ}),
    "another name": (in_statement("predicate", "signer", "name", value="Eve"), {WHOLE}),
    "another role": (in_statement("predicate", "signer", "role", value="expert"), {WHOLE}),
    "another last day": (in_statement("predicate", "expires", value="2099-01-01"), {WHOLE}),
    "no last day": (in_statement("predicate", "expires", value=None), {WHOLE}),
    "another digest": (
        in_statement("subject", 1, "digest", "sha256", value="0" * 64),
        {WHOLE, OURS},
    ),
    "another file": (in_statement("subject", 1, "name", value="other.csv"), {WHOLE, OURS}),
    "a path": (in_statement("subject", 1, "name", value="../certificate.json"), {READ}),
    "one signature for another": (of_signature("sig", PLAIN), {WHOLE}),
    "a signature that is none": (of_signature("sig", "?"), {WHOLE}),
    "an empty signature": (of_signature("sig", ""), {WHOLE}),
}


@pytest.mark.parametrize("kind", TAMPERED)
def test_a_changed_signature_is_found(table: Path, place: Path, kind: str) -> None:
    """With a key that is trusted and without one, and never under the signer's name as trusted."""
    change, expected = TAMPERED[kind]
    put_envelope(table, change)
    found, wrong = looked_at(table)
    assert (found.state, wrong) == ("broken", expected)
    found, wrong = looked_at(table, place / "officer")
    assert (found.state, wrong - {NAMED}) == ("broken", expected)


def test_a_key_id_decides_nothing(table: Path, place: Path) -> None:
    """It is not signed (DSSE, KEYID): another ID, or none, does not change an answer."""
    for change in (of_signature("keyid", "0" * 64), of_signature("keyid", "")):
        put_envelope(table, change)
        assert looked_at(table, place / "officer")[0].state == "trusted"
        assert looked_at(table, place / "stranger")[0].state == "stranger"


def test_one_good_signature_among_others_is_enough(table: Path, place: Path) -> None:
    """An envelope may have several; what counts is the one of a key that is trusted."""

    def more(document: dict[str, Any]) -> None:
        document["signatures"].insert(0, {"sig": PLAIN, "keyid": "A"})

    put_envelope(table, more)
    assert looked_at(table, place / "officer") == looked_at(
        place / "table" / "release", place / "officer"
    )


def test_every_bit_of_a_signature_counts(table: Path) -> None:
    """Each of its 512, one at a time."""
    envelope = envelope_of(table)
    made = base64.b64decode(envelope["signatures"][0]["sig"])
    payload = base64.b64decode(envelope["payload"])
    key = PublicKey(base64.b64decode(json.loads(payload)["predicate"]["signer"]["publicKey"]))
    message = pre_authentication(TYPE, payload)
    assert key.fits(base64.b64encode(made).decode(), message)
    for bit in range(8 * len(made)):
        changed = bytearray(made)
        changed[bit // 8] ^= 1 << bit % 8
        assert not key.fits(base64.b64encode(changed).decode(), message)


def test_a_signature_twice_in_json_or_by_a_link_is_not_read(table: Path, tmp_path: Path) -> None:
    """A person reads the first, a program the last; and a link leads out of the release."""
    path = table / "signature.json"
    text = path.read_text("utf-8")
    path.write_text(text.replace("{", '{"payloadType": "x",', 1), encoding="utf-8")
    assert looked_at(table)[1] == {READ}
    path.unlink()
    (tmp_path / "elsewhere").write_text(text, encoding="utf-8")
    path.symlink_to(tmp_path / "elsewhere")
    assert looked_at(table)[1] == {READ}
    path.unlink()
    os.mkfifo(path)
    assert looked_at(table)[1] == {READ}
    path.unlink()
    path.mkdir()
    assert looked_at(table)[1] == {READ}


def test_keys_are_for_their_owner_and_never_replaced(tmp_path: Path) -> None:
    """The private one alone is secret; if either is there, neither is made."""
    public = write_signing_key(tmp_path / "key")
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == stat.S_IRUSR | stat.S_IWUSR
    assert read_public_key(tmp_path / "key.pub") == public
    assert read_signing_key(tmp_path / "key").public == public
    assert "PRIVATE" in (tmp_path / "key").read_text("ascii")
    assert "PRIVATE" not in repr(read_signing_key(tmp_path / "key"))
    for taken, left in (("key", "key.pub"), ("key.pub", "key")):
        before = (tmp_path / taken).read_bytes()
        (tmp_path / left).unlink()
        with pytest.raises(OutputError, match="may be a key that signed releases"):
            write_signing_key(tmp_path / "key")
        assert (tmp_path / taken).read_bytes() == before
        assert not (tmp_path / left).exists()
        (tmp_path / taken).unlink()
        write_signing_key(tmp_path / "key")


RSA = """-----BEGIN PUBLIC KEY-----
MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf
9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit+CqvjWYzvQwECAwEAAQ==
-----END PUBLIC KEY-----
"""


def test_what_is_no_key_is_refused(tmp_path: Path) -> None:
    """Each with what to do; nothing of the file is said."""
    write_signing_key(tmp_path / "key")
    with pytest.raises(SettingError, match="this is a private key"):
        read_public_key(tmp_path / "key")
    with pytest.raises(SettingError, match="this is a public key"):
        read_signing_key(tmp_path / "key.pub")
    (tmp_path / "key").chmod(0o640)
    with pytest.raises(SettingError, match="people other than its owner"):
        read_signing_key(tmp_path / "key")
    for name, content in (("rsa", RSA), ("text", "secret words\n"), ("empty", "")):
        path = tmp_path / name
        path.write_text(content, encoding="ascii")
        path.chmod(0o600)
        with pytest.raises(SettingError, match="not a public key for signatures") as told:
            read_public_key(path)
        assert "secret" not in told.value.message
        if name != "rsa":
            with pytest.raises(SettingError, match="this key is not for signing") as told:
                read_signing_key(path)
            assert "secret" not in told.value.message
    for read in (read_public_key, read_signing_key):
        with pytest.raises(SettingError, match="cannot be read"):
            read(tmp_path / "nowhere")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_a_key_under_a_passphrase_says_so(tmp_path: Path) -> None:
    """No prompt for a passphrase appears."""
    write_signing_key(tmp_path / "key")
    made = ["openssl", "pkey", "-in", "key", "-aes256", "-passout", "pass:x", "-out", "kept"]
    subprocess.run(made, cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "kept").chmod(0o600)
    with pytest.raises(SettingError, match="has a passphrase"):
        read_signing_key(tmp_path / "kept")
