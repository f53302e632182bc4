"""The budgets of `sgfleet memory` for a reader: one form a file."""
