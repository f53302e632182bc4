"""The flag schemas below schema/sglang/, which whoever loads one reports."""
