"""What one rule says of a view."""

from __future__ import annotations

import importlib


def said(rule, view):
    """The problems that `family.module` reports, in order."""
    return list(importlib.import_module(f"sgfleet.rules.{rule}").check(view))


def messages(rule, view):
    """Their messages."""
    return [problem.message for problem in said(rule, view)]
