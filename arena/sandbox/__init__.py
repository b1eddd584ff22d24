"""What confines a stranger's program. docs/sandbox.md has the threat model; tests/attacks tries to break it.

`policy` says what a bot may use, `cell` builds the walls between fork and exec, `spawner` is the process in which that
happens, `cgroup`, `root`, `seccomp` and `landlock` are four of the walls, `delegation` finds the place for the first of
them, `kernel` has the system calls for all of them. All but `policy` and `runtime` are loaded by a separate process,
which must start quickly: standard library only, and little of it.
"""
