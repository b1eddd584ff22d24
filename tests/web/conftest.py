"""What tests of pages share: one browser for all of them, and pages that are watched."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser import Visitor, started


@pytest.fixture(scope="session")
def browser(processes: None) -> Iterator[Any]:  # noqa: ARG001
    with started() as browser:
        yield browser


@pytest.fixture(scope="session")
def shared(browser: Any) -> Any:
    """The page of all tests that need no context of their own."""
    return browser.new_page()


@pytest.fixture
def visitor(browser: Any, shared: Any) -> Iterator[Visitor]:
    """Opens pages. At the end no page may have complained, or asked for anything else."""
    visitor = Visitor(browser, shared)
    yield visitor
    visitor.close()
    assert visitor.complaints == []
    assert all(address.startswith("file:") for address in visitor.requests), visitor.requests
