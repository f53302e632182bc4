"""tools/ci/comment.py against servers that answer as GitHub and GitLab do: pages, strangers, faults."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools/ci/comment.py"
MARKER = "<!-- sgfleet plan -->"
PLAN = f"{MARKER}\n### sgfleet plan: 1 service restarts\n"
TOKEN = "t0ken-of-a-test"


class Api(ThreadingHTTPServer):
    """One request's comments, two a page. `faults`: answers that come before the real ones."""

    def __init__(self, kind: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.kind = kind
        self.comments: list[dict] = []
        self.calls: list[tuple[str, str]] = []
        self.tokens: set[str | None] = set()
        self.faults: list[tuple[int, dict[str, str]]] = []
        self.fault_of_post: tuple[int, dict[str, str]] | None = None
        self.next_id = 100

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/api"

    def add(self, body: str, *, ours: bool = True) -> dict:
        self.next_id += 1
        comment = {"id": self.next_id, "body": body}
        comment |= (
            {"user": {"type": "Bot" if ours else "User"}}
            if self.kind == "github"
            else {"author": {"id": 7 if ours else 8}}
        )
        self.comments.append(comment)
        return comment


class Handler(BaseHTTPRequestHandler):
    server: Api
    LIST: ClassVar = {
        "github": "/api/repos/o/fleet/issues/5/comments",
        "gitlab": "/api/projects/42/merge_requests/5/notes",
    }
    ONE: ClassVar = {
        "github": r"/api/repos/o/fleet/issues/comments/(\d+)",
        "gitlab": r"/api/projects/42/merge_requests/5/notes/(\d+)",
    }

    def handle_one(self) -> None:
        api, parts = self.server, urlsplit(self.path)
        data = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "null")
        api.calls.append((self.command, parts.path))
        api.tokens.add(self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN"))
        if api.faults or (self.command == "POST" and api.fault_of_post):
            code, headers = api.faults.pop(0) if api.faults else api.fault_of_post
            return self.say(code, {"message": "not now"}, **headers)
        one = re.fullmatch(self.ONE[api.kind], parts.path)
        if parts.path == "/api/user" and api.kind == "gitlab":
            return self.say(200, {"id": 7})
        if parts.path == self.LIST[api.kind] and self.command == "POST":
            return self.say(201, api.add(data["body"]))
        if parts.path == self.LIST[api.kind]:
            page = int(parse_qs(parts.query).get("page", ["1"])[0])
            more = {"Link": f'<{api.address[:-4]}{parts.path}?page={page + 1}>; rel="next", <x>; rel="last"'}
            return self.say(
                200, api.comments[2 * page - 2 : 2 * page], **(more if len(api.comments) > 2 * page else {})
            )
        found = next((each for each in api.comments if one and each["id"] == int(one[1])), None)
        if found is None:
            return self.say(404, {"message": "Not Found"})
        if self.command == "DELETE":
            api.comments.remove(found)
            return self.say(204, None)
        assert self.command == {"github": "PATCH", "gitlab": "PUT"}[api.kind]
        found["body"] = data["body"]
        return self.say(200, found)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_one  # noqa: N815 - the names are http.server's

    def say(self, code: int, answer: object, **headers: str) -> None:
        body = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(code)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture(params=["github", "gitlab"])
def api(request):
    server = Api(request.param)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def call(api: Api, tmp_path: Path, text: str = PLAN, *options: str, **environment: str) -> subprocess.CompletedProcess:
    file = tmp_path / "plan.md"
    file.write_text(text)
    settings = {
        "github": {"GITHUB_API_URL": api.address, "GITHUB_REPOSITORY": "o/fleet", "GITHUB_TOKEN": TOKEN},
        "gitlab": {"CI_API_V4_URL": api.address, "CI_PROJECT_ID": "42", "SGFLEET_GITLAB_TOKEN": TOKEN},
    }[api.kind]
    done = subprocess.run(
        [sys.executable, SCRIPT, api.kind, file, "--number", "5", *options],
        env={"PATH": os.environ["PATH"], "no_proxy": "127.0.0.1", **settings, **environment},
        capture_output=True,
        text=True,
    )
    assert TOKEN not in done.stdout + done.stderr
    return done


def test_the_first_one_is_posted(api, tmp_path):
    api.add("looks good", ours=False)
    assert call(api, tmp_path).stdout == "comment: posted\n"
    assert [each["body"] for each in api.comments] == ["looks good", PLAN]
    assert api.tokens == {f"Bearer {TOKEN}" if api.kind == "github" else TOKEN}


def test_the_next_one_updates_it_wherever_it_is(api, tmp_path):
    for number in range(5):
        api.add(f"talk {number}", ours=False)
    old = api.add(f"{MARKER}\nold")
    assert call(api, tmp_path).stdout == "comment: updated\n"
    assert old["body"] == PLAN
    assert len(api.comments) == 6


def test_the_same_again_writes_nothing(api, tmp_path):
    api.add(PLAN.replace("\n", "\r\n"))
    assert call(api, tmp_path).stdout == "comment: says it already\n"
    assert {method for method, _ in api.calls} == {"GET"}


def test_somebody_elses_marker_is_left_alone(api, tmp_path):
    theirs = api.add(f"{MARKER}\nmine", ours=False)
    quoting = api.add(f"as it said: {MARKER}")
    assert call(api, tmp_path).stdout == "comment: posted\n"
    assert theirs["body"].endswith("mine")
    assert quoting in api.comments


def test_of_two_one_stays(api, tmp_path):
    first, _ = api.add(f"{MARKER}\na"), api.add(f"{MARKER}\nb")
    call(api, tmp_path)
    assert api.comments == [first]
    assert first["body"] == PLAN


def test_where_nothing_changes_none_is_begun(api, tmp_path):
    assert call(api, tmp_path, PLAN, "--only-update").stdout == "comment: none is needed\n"
    assert not api.comments
    old = api.add(f"{MARKER}\nold")
    call(api, tmp_path, PLAN, "--only-update")
    assert old["body"] == PLAN


def test_a_fault_that_passes_is_waited_for(api, tmp_path):
    api.faults = [(502, {}), (429, {"Retry-After": "0"})]
    assert call(api, tmp_path).stdout == "comment: posted\n"
    assert len(api.comments) == 1


def test_a_refusal_is_said(api, tmp_path):
    api.faults = [(403, {})]
    done = call(api, tmp_path)
    assert done.returncode == 1
    assert "403" in done.stderr
    assert "not now" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_post_that_may_have_arrived_is_not_sent_again(api, tmp_path):
    api.fault_of_post = (502, {})
    assert call(api, tmp_path).returncode == 1
    assert sum(method == "POST" for method, _ in api.calls) == 1


@pytest.mark.parametrize("link", ["http://elsewhere.example/api/x", "https://127.0.0.1/api/x"])
def test_the_token_goes_nowhere_else(api, tmp_path, link):
    api.faults = [(302, {"Location": link})]
    assert call(api, tmp_path).returncode == 1
    api.faults = [(200, {"Link": f'<{link}>; rel="next"'})]
    done = call(api, tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_a_long_plan_is_cut_where_it_reads_well(api, tmp_path):
    text = (
        PLAN + "<details><summary>unit</summary>\n\n```diff\n" + "+ a line of a unit\n" * 10_000 + "```\n</details>\n"
    )
    assert call(api, tmp_path, text).returncode == 0
    (comment,) = api.comments
    assert len(comment["body"]) < 65_536
    assert comment["body"].endswith("```\n</details>\n\n*Cut here: the whole plan is in the job's artifact.*\n")


def test_a_file_without_the_marker_gets_it(api, tmp_path):
    call(api, tmp_path, "no plan\n")
    assert api.comments[0]["body"] == f"{MARKER}\nno plan\n"


def test_settings_that_are_missing_are_named(tmp_path):
    done = subprocess.run(
        [sys.executable, SCRIPT, "github", SCRIPT, "--number", "5"],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "GITHUB_REPOSITORY is not set" in done.stderr
