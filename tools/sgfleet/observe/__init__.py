"""What the engine itself says of a start: its log, the journal, or /server_info -> measured figures.

Only figures and the settings of a fixed list are taken: whatever else such a text holds (keys, prompts, paths of other
things) is neither kept nor shown.
"""
