"""What sgfleet has to say about a repository: findings, and the places that they point at."""

from sgfleet.findings.finding import Finding, Severity
from sgfleet.findings.place import Place

__all__ = ["Finding", "Place", "Severity"]
