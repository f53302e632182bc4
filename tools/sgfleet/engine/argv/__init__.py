"""Command lines: what a release's own parser makes of one, and the command line that a spec's flags become.

outcome     what a command line comes to: parsed, rejected, or not known
types       the type functions of the releases, by name and behaviour
actions     the argparse actions of the releases, by name and behaviour
parser      a release's flags -> an argparse parser that answers with data and prints nothing
launcher    what `sglang.launch_server` does around its parser, release by release
config      `--config FILE.yaml`: the words that a file adds in front of the command line
parse       a command line -> its outcome
advice      what to write instead
history     which release has which option
values      one YAML value against one flag, and what the server would then hold
words       the flags of a spec -> a command line
"""
