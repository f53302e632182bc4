"""What this machine is: probes, each a pure reading of what a program or a file of the kernel says.

`machine` is the only module that touches the machine; a recorded one stands in for it in tests. A probe that fails is
told as unknown, with its reason: never as a smaller machine.
"""
