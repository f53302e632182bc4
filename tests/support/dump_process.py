"""Write the arguments and the environment that this process was started with, as the kernel has them, to files.

dump_process.py OUT ...: OUT gets the arguments after it, OUT.environment the variables, each ended by a NUL.
"""

import sys
from pathlib import Path

with Path("/proc/self/cmdline").open("rb") as arguments:
    words = arguments.read().split(b"\0")[:-1]
out = Path(sys.argv[1])
after = words.index(str(out).encode()) + 1
out.write_bytes(b"".join(word + b"\0" for word in words[after:]))
out.with_name(out.name + ".environment").write_bytes(Path("/proc/self/environ").read_bytes())
