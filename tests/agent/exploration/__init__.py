"""Every sequence of changes, faults and people's requests, to a depth, played against the planner."""
