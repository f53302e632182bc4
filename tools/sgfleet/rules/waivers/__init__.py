"""Waivers and severities that do not do what somebody wrote them for; the runner reports these."""
