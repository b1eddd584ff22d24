"""What holds a stranger's program back. docs/sandbox.md tells the threat model; tests/attacks tries to break it.

`policy` says what a bot may use, `cell` builds the walls between fork and exec, `spawner` is the helper process in
which that happens, `cgroup`, `root`, `seccomp` and `landlock` are four of the walls, `delegation` finds the place for
the first of them, `kernel` is how Python asks for them all. All but `policy` and `runtime` are loaded by a process of
their own, which has to start quickly: standard library only, and little of it.
"""
