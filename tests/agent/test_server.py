"""The real HTTP client against the stand-in, over loopback: each release's endpoints, and each way to fail."""

from __future__ import annotations

import socket
import subprocess
import threading
from pathlib import Path

import pytest

from sgfleet.agent.address import Address, Key, address_of
from sgfleet.agent.http import MOST_BYTES
from sgfleet.agent.server import PROBING, Answer, HttpServer, Probing
from sgfleet.engine import endpoints, store
from sgfleet.observe import server_info
from sgfleet.spec.models.service import Service
from support.stand_in.behaviour import FAULTS
from support.stand_in.running import free_port, running

QUICK = Probing(connect=2, health=1.5, generate=0.5, info=0.5)
RELEASES = ("0.4.0", "0.4.3.post3", "0.4.9", "0.5.1", "0.5.9", "0.5.23")


def client(port, release="0.5.9", probing=PROBING, key=lambda: None, **address):
    address = {"host": "127.0.0.1", **address}
    return HttpServer(Address(port=port, **address), endpoints.load(release), key, probing)


def kinds(server):
    return server.health().kind, server.generate().kind, server.info().kind


@pytest.mark.parametrize("release", RELEASES)
def test_every_release_is_asked_where_it_answers(tmp_path, release):
    with running(tmp_path, release, health_seconds=0.01, kv_tokens=4321) as one:
        one.wait_until_ready()
        server = client(one.port, release)
        assert kinds(server) == ("ok", "ok", "ok")
        measured = server_info.measure(server.info().data)
    assert (measured.version, measured.kv_tokens, measured.settings["tp_size"]) == (release, 4321, 1)


def test_health_takes_about_a_second_and_that_is_no_failure(tmp_path):
    with running(tmp_path) as one:
        one.wait_until_ready()
        answer = client(one.port).health()
    assert answer.ok
    assert answer.seconds >= 1.03


def test_refused_then_not_ready_then_well(tmp_path):
    server = client(free_port())
    assert kinds(server) == ("refused", "refused", "refused")
    with running(tmp_path, load_seconds=600, bound_share=0, health_seconds=0.01) as one:
        one.wait_until_bound()
        server = client(one.port)
        answer = server.health()
        assert (answer.kind, answer.status, answer.text) == ("not-ready", 503, "/health: 503")
        assert server.generate().kind == "not-ready"
        one.tell(load_seconds=0, health_seconds=0.01)
        one.wait_until_ready()
        assert kinds(server) == ("ok", "ok", "ok")


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("early-200", ("ok", "not-ready", "not-ready")),
        ("dead-scheduler", ("ok", "timed-out", "timed-out")),
        ("hang", ("timed-out", "timed-out", "timed-out")),
        ("drip", ("timed-out", "timed-out", "timed-out")),
        ("garbage", ("ok", "wrong", "wrong")),
        ("redirect", ("wrong", "wrong", "wrong")),
    ],
)
def test_a_server_that_is_not_well(tmp_path, fault, expected):
    with running(tmp_path, health_seconds=0.01, fault=fault) as one:
        one.wait_until_bound()
        assert kinds(client(one.port, probing=QUICK)) == expected


def test_busy_then_well(tmp_path):
    with running(tmp_path, health_seconds=0.01, fault="busy", late_seconds=600) as one:
        one.wait_until_ready()
        server = client(one.port)
        assert kinds(server) == ("not-ready", "not-ready", "not-ready")
        one.tell(health_seconds=0.01, fault="busy", late_seconds=0)
        assert kinds(server) == ("ok", "ok", "ok")


@pytest.mark.parametrize("fault", ["crash", "exit"])
def test_a_process_that_ended_refuses(tmp_path, fault):
    with running(tmp_path, fault=fault) as one:
        assert one.process.wait(30) == 1
        assert client(one.port).health().kind == "refused"


def test_static_health_says_nothing_and_is_not_asked(tmp_path):
    with running(tmp_path, "0.4.9", fault="dead-scheduler") as one:
        one.wait_until_ready()
        assert endpoints.load("0.4.9").health_path == "/health_generate"
        assert client(one.port, "0.4.9", QUICK).generate().kind == "timed-out"


def test_embeddings_have_no_generation(tmp_path):
    with running(tmp_path, "0.5.9", "--is-embedding", health_seconds=0.01) as one:
        one.wait_until_ready()
        answer = client(one.port).generate()
    assert (answer.kind, answer.text) == ("ok", "/encode: 200")


def test_without_a_tokenizer_token_ids_go_there_and_back(tmp_path):
    with running(tmp_path, "0.5.9", "--skip-tokenizer-init", health_seconds=0.01) as one:
        one.wait_until_ready()
        assert client(one.port, token_ids_only=True).generate().ok


def test_the_api_key(tmp_path):
    with running(tmp_path, "0.5.9", "--api-key", "s3cret", health_seconds=0.01) as one:
        one.wait_until_ready()
        without = client(one.port).info()
        assert (without.kind, without.status) == ("wrong", 401)
        assert "API key" in without.text
        assert kinds(client(one.port, key=lambda: "s3cret")) == ("ok", "ok", "ok")
        for bad in ("line\nbreak", "€"):
            answer = client(one.port, key=lambda bad=bad: bad).info()
            assert answer.kind == "wrong"
            assert bad not in answer.text


def test_ipv6(tmp_path):
    with running(tmp_path, "0.5.9", "--host", "::1", health_seconds=0.01) as one:
        one.wait_until_bound("::1")
        one.wait_until_ready()
        assert client(one.port, host="::1").health().ok


def test_tls_without_its_name(tmp_path):
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
         "-subj", "/CN=llm.example.org", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    flags = ("--ssl-certfile", str(certificate), "--ssl-keyfile", str(key))
    with running(tmp_path, "0.5.23", *flags, health_seconds=0.01) as one:
        one.wait_until_ready()
        assert kinds(client(one.port, "0.5.23", tls=True)) == ("ok", "ok", "ok")
        assert client(one.port, "0.5.23").health().kind == "wrong"


def test_proxies_of_the_environment_do_not_count(tmp_path, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://192.0.2.1:9")
    with running(tmp_path, health_seconds=0.01) as one:
        one.wait_until_ready()
        assert client(one.port).health().ok


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1", "nowhere.invalid", "a" * 300])
def test_another_machine_is_never_asked(host):
    asked = []
    answer = client(1, host=host, key=lambda: asked.append(1) or "s3cret").info()
    assert answer.kind == "wrong"
    assert "not one of this machine" in answer.text


class Raw:
    """A listener that sends what it is given."""

    def __init__(self, *parts):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, args=(parts,), daemon=True).start()

    def serve(self, parts):
        while True:
            peer, _ = self.listener.accept()
            with peer:
                try:
                    peer.recv(2**16)
                    for part in parts:
                        peer.sendall(part)
                except OSError:
                    continue


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ((b"",), "remotedisconnected"),
        ((b"SSH-2.0-OpenSSH_9.2\r\n",), "badstatusline"),
        ((b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{}",), "incompleteread"),
        ((b"HTTP/1.1 200 OK\r\n", *[b"X: " + b"y" * 1000 + b"\r\n"] * 200), "httpexception"),
        ((b"HTTP/1.1 200 OK\r\n\r\n", *[b"x" * 2**20] * (MOST_BYTES // 2**20 + 2)), "more than"),
        ((b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 10**6,), "no JSON"),
        ((b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",), "incompleteread"),
    ],
)
def test_whatever_answers_is_said_and_bounded(parts, said):
    answer = client(Raw(*parts).port).info()
    assert answer.kind == "wrong"
    assert said in answer.text


@pytest.mark.parametrize("data", [b"{}", b"[]", b'{"is_generation": "yes"}', b"null"])
def test_a_model_that_does_not_say_what_it_does(data):
    answer = client(Raw(b"HTTP/1.1 200 OK\r\n\r\n" + data).port).generate()
    assert (answer.kind, answer.text) == ("wrong", "/model_info does not say what the model does")


def test_200_without_a_token_is_no_generation():
    model = b'{"is_generation": true, "text": "", "meta_info": {"completion_tokens": 0}}'
    answer = client(Raw(b"HTTP/1.1 200 OK\r\n\r\n" + model).port).generate()
    assert (answer.kind, answer.text) == ("wrong", "/generate answers 200 without a token")


def test_the_pause_grows_with_what_a_probe_may_cost():
    pause = {kind: PROBING.pause(Answer(kind, 1, "")) for kind in ("refused", "not-ready", "ok", "wrong", "timed-out")}
    assert pause["refused"] < pause["not-ready"] <= pause["wrong"] < pause["ok"] < pause["timed-out"]
    for release in store.available():
        seconds = endpoints.load(release).health["/health_generate"].timeout_seconds
        assert seconds is None or seconds < PROBING.health, "the server gives up first"


def service(**more):
    return Service.model_validate({"release": "0.5.9", "python": "/opt/bin/python3", **more})


RELEASE = store.load("0.5.9")


@pytest.mark.parametrize(
    ("flags", "url"),
    [
        ({}, "http://127.0.0.1:30000"),
        ({"host": "0.0.0.0", "port": 8000}, "http://127.0.0.1:8000"),
        ({"host": "::"}, "http://[::1]:30000"),
        ({"host": "10.0.0.5"}, "http://10.0.0.5:30000"),
        ({"host": "fd00::5"}, "http://[fd00::5]:30000"),
    ],
)
def test_the_address(flags, url):
    assert address_of(service(flags=flags), RELEASE).url == url


def test_an_address_with_tls():
    release = store.load("0.5.23")
    found = address_of(service(release="0.5.23", flags={"ssl-certfile": "/c", "ssl-keyfile": "/k"}), release)
    assert found.url == "https://127.0.0.1:30000"


def test_where_the_key_is():
    assert address_of(service(), RELEASE).key is None
    clear = address_of(service(flags={"api-key": "s3cret"}), RELEASE).key
    assert clear == Key(text="s3cret")
    assert "s3cret" not in repr(clear)
    files = {"secrets": {"api-key": "API_KEY"}, "environment-files": ["/etc/sglang/secrets.env"]}
    assert address_of(service(**files), RELEASE).key == Key(None, "API_KEY", ("/etc/sglang/secrets.env",))


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"flags": {"grpc-mode": True}}, "gRPC"),
        ({"flags": {"encoder-only": True}}, "encoder"),
        ({"environment": {"SGLANG_RUST_SERVER": "1"}}, "another HTTP server"),
        ({}, None),
    ],
)
def test_another_front_is_said(more, why):
    found = address_of(service(**more), RELEASE).other_front
    assert found == why or why in found


def test_every_fault_of_the_stand_in_is_tried():
    here = Path(__file__)
    text = here.read_text() + here.with_name("test_stand_in.py").read_text()
    assert not {fault for fault in FAULTS if f'"{fault}"' not in text}
