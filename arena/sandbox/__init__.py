"""What holds a stranger's program back. docs/sandbox.md tells the threat model; tests/attacks tries to break it.

`policy` says what a bot may use, `cell` builds the walls between fork and exec, `spawner` is the helper process in
which that happens, `root`, `seccomp` and `landlock` are three of the walls, `kernel` is how Python asks for them. The
last six are loaded by a process of their own, which has to start quickly: standard library only, and little of it.
"""
