#!/usr/bin/env python3
"""Post a file as the one comment of sgfleet on a pull or merge request, or bring that comment up to date.

  python3 tools/ci/comment.py github FILE --number N [--only-update]
  python3 tools/ci/comment.py gitlab FILE --number N [--only-update]

The comment is known by its first line, a marker, and by its author. One that says the same already is left alone;
with --only-update none is begun. GitHub: GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL. GitLab:
SGFLEET_GITLAB_TOKEN (scope api), CI_PROJECT_ID, CI_API_V4_URL.

Needs Python 3.9 and nothing else: it runs beside a token, so nothing is installed for it.
Exit codes: 0 the comment is as the file says, or none is needed, 1 the service did not do it, 2 usage.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

MARKER = "<!-- sgfleet plan -->"
MOST_CHARACTERS = 60_000
"""GitHub takes 65,536."""
TRIES = 4
TIMEOUT_SECONDS = 30
AGAIN = {429, 500, 502, 503, 504}
MOST_PAGES = 100


class ServiceError(Exception):
    """The service said no, or nothing."""


class Service:
    """The comments of one request. A subclass says where they are and which are ours."""

    def __init__(self, api: str, comments: str, headers: dict[str, str]) -> None:
        self._api = api.rstrip("/")
        self._comments = comments
        self._headers = headers

    def ours(self) -> list[dict[str, Any]]:
        """Our comments, the oldest first; there should be one."""
        return [each for each in self._all() if each["body"].startswith(MARKER) and self.is_ours(each)]

    def is_ours(self, comment: dict[str, Any]) -> bool:
        """Whether we wrote it: anybody can write the marker."""
        raise NotImplementedError

    def address(self, comment: dict[str, Any]) -> str:
        """Where one comment is."""
        raise NotImplementedError

    update_method = "PATCH"

    def post(self, body: str) -> None:
        """Begin a comment."""
        self.call("POST", self._comments, {"body": body})

    def update(self, comment: dict[str, Any], body: str) -> None:
        """Change a comment."""
        self.call(self.update_method, self.address(comment), {"body": body})

    def remove(self, comment: dict[str, Any]) -> None:
        """Take a comment away."""
        self.call("DELETE", self.address(comment))

    def _all(self) -> Iterator[dict[str, Any]]:
        address: str | None = f"{self._comments}?per_page=100&sort=asc&order_by=created_at"
        for _ in range(MOST_PAGES):
            if address is None:
                return
            found, address = self.call("GET", address)
            yield from found

    def call(self, method: str, address: str, data: dict[str, Any] | None = None) -> tuple[Any, str | None]:
        """(answer, address of the next page, if there is one).

        Raises:
            ServiceError: it did not work, also not after some tries where trying may help.
        """
        url = address if address.startswith(("http://", "https://")) else f"{self._api}/{address}"
        if not url.startswith(f"{self._api}/"):
            raise ServiceError(f"{url} is not below {self._api}: the token is not sent there")
        request = urllib.request.Request(  # noqa: S310 - it is below the API's own address
            url,
            method=method,
            data=None if data is None else json.dumps(data).encode(),
            headers={"Content-Type": "application/json", "User-Agent": "sgfleet", **self._headers},
        )
        problem = ""
        for attempt in range(TRIES):
            try:
                with OPENER.open(request, timeout=TIMEOUT_SECONDS) as answer:
                    body = answer.read()
                    return json.loads(body) if body else None, _next(answer.headers.get("Link"))
            except urllib.error.HTTPError as error:
                problem = f"{method} {url}: {error.code} {error.reason}: {error.read(500).decode(errors='replace')}"
                if error.code not in AGAIN:
                    break
                wait = error.headers.get("Retry-After", "")
                pause = min(60, int(wait)) if wait.isdigit() else 2**attempt
            except (OSError, ValueError) as error:
                problem, pause = f"{method} {url}: {error}", 2**attempt
            if method == "POST":  # it may have been done: a second one would be a second comment
                break
            if attempt < TRIES - 1:
                time.sleep(pause)
        raise ServiceError(problem)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would take the token elsewhere."""

    def redirect_request(self, *_: Any) -> None:
        """Follow none: it is an error like any other."""


OPENER = urllib.request.build_opener(_NoRedirects)


class GitHub(Service):
    """Comments of a pull request. The token of a workflow writes as a bot."""

    def __init__(self, number: int) -> None:
        self._repository = f"repos/{_setting('GITHUB_REPOSITORY')}"
        token = _setting("GITHUB_TOKEN")
        super().__init__(
            os.environ.get("GITHUB_API_URL") or "https://api.github.com",
            f"{self._repository}/issues/{number}/comments",
            {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"},
        )

    def is_ours(self, comment: dict[str, Any]) -> bool:
        """A person may have copied the marker; another bot has no reason to."""
        return bool(comment["user"]["type"] == "Bot")

    def address(self, comment: dict[str, Any]) -> str:
        """Comments have numbers of their own."""
        return f"{self._repository}/issues/comments/{comment['id']}"


class GitLab(Service):
    """Notes of a merge request."""

    update_method = "PUT"

    def __init__(self, number: int) -> None:
        project = urllib.parse.quote(_setting("CI_PROJECT_ID"), safe="")
        self._notes = f"projects/{project}/merge_requests/{number}/notes"
        token = _setting("SGFLEET_GITLAB_TOKEN")
        super().__init__(_setting("CI_API_V4_URL"), self._notes, {"PRIVATE-TOKEN": token})
        self._me: int | None = None

    def is_ours(self, comment: dict[str, Any]) -> bool:
        """Whether the owner of the token wrote it."""
        if self._me is None:
            self._me = self.call("GET", "user")[0]["id"]
        return bool(comment["author"]["id"] == self._me)

    def address(self, comment: dict[str, Any]) -> str:
        """Notes are below their merge request."""
        return f"{self._notes}/{comment['id']}"


def say(service: Service, body: str, *, only_update: bool) -> str:
    """Make the one comment say this, and tell what was done."""
    ours = service.ours()
    for extra in ours[1:]:
        service.remove(extra)
    if not ours:
        if only_update:
            return "none is needed"
        service.post(body)
        return "posted"
    if ours[0]["body"].replace("\r\n", "\n").rstrip() == body.rstrip():
        return "says it already"
    service.update(ours[0], body)
    return "updated"


def fitted(text: str) -> str:
    """The text behind the marker, no longer than the service takes; what is open at a cut is closed."""
    text = text.replace("\r\n", "\n").strip()
    if not text.startswith(MARKER):
        text = f"{MARKER}\n{text}"
    if len(text) <= MOST_CHARACTERS:
        return text + "\n"
    cut = text[: text.rfind("\n", 0, MOST_CHARACTERS)]
    if sum(line.startswith("```") for line in cut.splitlines()) % 2:
        cut += "\n```"
    cut += "\n</details>" * (len(re.findall("<details>", cut)) - len(re.findall("</details>", cut)))
    return f"{cut}\n\n*Cut here: the whole plan is in the job's artifact.*\n"


def _next(link: str | None) -> str | None:
    found = re.search(r'<([^>]+)>;\s*rel="next"', link or "")
    return found[1] if found else None


def _setting(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise SystemExit(f"error: {name} is not set")
    return value


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0], allow_abbrev=False)
    parser.add_argument("service", choices=("github", "gitlab"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--number", type=int, required=True, help="of the pull or merge request")
    parser.add_argument("--only-update", action="store_true", help="change a comment that is there, begin none")
    arguments = parser.parse_args()
    try:
        text = arguments.file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        print(f"error: {arguments.file}: {error.strerror}", file=sys.stderr)
        return 2
    kind = GitHub if arguments.service == "github" else GitLab
    try:
        done = say(kind(arguments.number), fitted(text), only_update=arguments.only_update)
    except (ServiceError, LookupError, TypeError) as error:
        print(f"error: the comment could not be written: {error}", file=sys.stderr)
        return 1
    print(f"comment: {done}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
