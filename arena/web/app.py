"""The site as one application: pages of leagues, what others add to them, and the guard before all of it."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from arena.web.guard import Guard
from arena.web.site.hall import Hall
from arena.web.site.routes import site_routes
from arena.web.site.shell import Link
from arena.web.site.words import ERRORS

Span = Callable[[], AbstractAsyncContextManager[None]]
"""What goes on while a server runs."""


def application(
    hall: Hall,
    names: Iterable[str] = (),
    more: Sequence[BaseRoute] = (),
    links: Sequence[Link] = (),
    spans: Sequence[Span] = (),
) -> Starlette:
    """The site of these leagues, which answers to these names as well as to addresses and `localhost`.

    `more` are routes of other parts, which come first, `links` lead to them from the top of every page, and `spans` go
    on while the server runs.
    """

    @asynccontextmanager
    async def lifespan(served: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(hall.lifespan(served))
            for span in spans:
                await stack.enter_async_context(span())
            yield

    app = Starlette(
        routes=[*more, *site_routes(hall, links)],
        middleware=[Middleware(Guard, names=tuple(names))],
        exception_handlers=dict(ERRORS),
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # an address that is not in the table leads nowhere
    return app
