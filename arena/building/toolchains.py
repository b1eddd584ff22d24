"""What compilers and package managers need from your environment and your home folder, and nothing else.

Outside the sandbox a build sees the variables in PASSED_ON. In the sandbox it sees none of them: it can read what
toolchains keep in your home folder (CACHES), and its environment says where that is and that there is no network.
"""

import os
import pwd
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.sandbox.runtime import home, is_system, locate

PASSED_ON: Mapping[str, str] = {
    "who and where you are": "PATH HOME USER LOGNAME LANG LANGUAGE TZ TMPDIR XDG_CACHE_HOME XDG_CONFIG_HOME "
    "XDG_DATA_HOME",
    "how to reach the network": "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY",
    "whom to believe there": "SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GIT_SSL_CAINFO "
    "NODE_EXTRA_CA_CERTS NIX_SSL_CERT_FILE",
    "C and C++": "CC CXX AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CPATH LIBRARY_PATH LD_LIBRARY_PATH PKG_CONFIG_PATH "
    "SOURCE_DATE_EPOCH",
    "Rust": "CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTUP_DIST_SERVER RUSTFLAGS CARGO_BUILD_JOBS CARGO_NET_OFFLINE "
    "CARGO_NET_GIT_FETCH_WITH_CLI CARGO_HTTP_PROXY CARGO_HTTP_CAINFO",
    "Go": "GOROOT GOPATH GOCACHE GOMODCACHE GOPROXY GONOPROXY GOPRIVATE GOSUMDB GONOSUMDB GOFLAGS GOTOOLCHAIN "
    "CGO_ENABLED",
    "Java": "JAVA_HOME JAVA_TOOL_OPTIONS MAVEN_HOME M2_HOME MAVEN_OPTS MAVEN_ARGS GRADLE_USER_HOME GRADLE_OPTS",
    "JavaScript": "NODE_OPTIONS NVM_DIR VOLTA_HOME NPM_CONFIG_REGISTRY NPM_CONFIG_CACHE NPM_CONFIG_PROXY "
    "NPM_CONFIG_HTTPS_PROXY NPM_CONFIG_NOPROXY NPM_CONFIG_CAFILE NPM_CONFIG_OFFLINE NPM_CONFIG_USERCONFIG",
    "Python": "VIRTUAL_ENV PYENV_ROOT PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_TRUSTED_HOST PIP_CERT "
    "PIP_CACHE_DIR PIP_CONFIG_FILE UV_INDEX_URL UV_DEFAULT_INDEX UV_CACHE_DIR",
    "others": "ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR RBENV_ROOT GEM_HOME GEM_PATH OPAMROOT STACK_ROOT DOTNET_ROOT "
    "JULIA_DEPOT_PATH",
}
"""What a build outside the sandbox sees of your environment: what compilers and package managers read, also in lower
case. Tokens and passwords have other names; but the address of a proxy or of a registry may contain one."""


@dataclass(frozen=True, slots=True)
class Cache:
    """What a toolchain keeps in your home folder and a build without a network needs, read-only."""

    variable: str
    """Where the toolchain looks for it."""
    place: str
    """Where it is below your home folder, if the variable is not set."""
    parts: tuple[str, ...] = ()
    """Which parts the build can see; empty: all."""
    value: str = "{}"


CACHES = (
    Cache("RUSTUP_HOME", ".rustup"),
    Cache("CARGO_HOME", ".cargo", ("bin", "registry", "git")),
    Cache("GOMODCACHE", "go/pkg/mod"),
    Cache("MAVEN_OPTS", ".m2/repository", value="-Dmaven.repo.local={}"),
)
CONFIGURATION = ("/etc/maven/m2.conf", "/etc/maven/logging")
"""Parts of programs in /usr that Debian keeps elsewhere."""
OFFLINE: Mapping[str, str] = {
    "CARGO_NET_OFFLINE": "true",
    "GOFLAGS": "-buildvcs=false -modcacherw",
    "GOPROXY": "off",
    "GOTOOLCHAIN": "local",
    "npm_config_offline": "true",
    "npm_config_update_notifier": "false",
    "PIP_NO_INDEX": "1",
}
"""Without these, package managers try to reach the network for minutes instead of naming what is missing."""


def environment() -> dict[str, str]:
    """What a build outside the sandbox sees of our environment."""
    known = {name for names in PASSED_ON.values() for name in names.split()}
    found = {name: value for name, value in os.environ.items() if name.upper() in known or name.startswith("LC_")}
    if "HOME" in found and not _has_name():
        # Java asks for the home folder by name. Maven would fill a folder "?" of the bot with its packages.
        found["MAVEN_OPTS"] = f"{found.get('MAVEN_OPTS', '')} -Duser.home={found['HOME']}".strip()
    return found


def _has_name() -> bool:
    """Whether the user has one: in a container that was started with a number, it has none."""
    try:
        return bool(pwd.getpwuid(os.geteuid()).pw_name)
    except KeyError:
        return False


@dataclass(frozen=True, slots=True)
class Bench:
    """What a sandboxed build gets."""

    shown: tuple[str, ...]
    """Files and folders outside the system that it may read."""
    env: Mapping[str, str]


def bench(program: str, folder: Path) -> Bench:
    """For a build in this folder that starts this program."""
    found = list(_found())
    shown = [*CONFIGURATION, *(path for _, _, paths in found for path in paths), *locate((program,), folder).shown]
    path = [word for word in os.environ.get("PATH", "").split(":") if _is_within(word, shown)]
    env = {cache.variable: cache.value.format(root) for cache, root, _ in found}
    return Bench(tuple(shown), {**OFFLINE, **env, "PATH": ":".join(path)})


def _found() -> Iterator[tuple[Cache, str, list[str]]]:
    """The caches of this machine: where each is, and which of its paths the build can see."""
    for cache in CACHES:
        named = os.environ.get(cache.variable, "") if cache.value == "{}" else ""
        root = Path(named) if named.startswith("/") else home() / cache.place
        paths = [path for path in ([root / part for part in cache.parts] or [root]) if path.exists()]
        if paths:
            yield cache, str(root), [os.path.realpath(path) for path in paths]


def _is_within(folder: str, shown: list[str]) -> bool:
    """Whether a sandboxed build can see this folder."""
    return is_system(folder) or any(Path(folder).is_relative_to(path) for path in shown)
