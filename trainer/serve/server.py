"""The endpoint's routes: Open Inference Protocol, counters, and what keeps bad requests out.

Paths: `/v2`, `/v2/health/live`, `/v2/health/ready`, `/v2/models/{m}[/versions/{v}]` with nothing,
`/ready`, `/infer` or `/stats` behind it, and `/metrics`.
"""

import asyncio
import contextlib
import hmac
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import orjson
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from trainer.serve import wire
from trainer.serve.models import Model, Models
from trainer.serve.stats import prometheus
from trainer.serve.tensors import Array
from trainer.serve.versions import Loaded
from trainer.serve.wire import Refused

BODY_LIMIT = 4 << 20
BODY_SECONDS = 10.0
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_LOCAL = re.compile(rb"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?")
_UNCOUNTED = ("/metrics", "/v2/health/")  # who only looks keeps no idle endpoint alive


@dataclass
class Served:
    """What the routes share: the models, the largest request, and when somebody last asked."""

    models: Models
    max_rows: int
    token: str | None = None
    asked_at: float = field(default_factory=time.monotonic)


def build(served: Served, opening: Callable[[], Awaitable[None]]) -> ASGIApp:
    """Return the application; it takes requests once `opening` has returned."""

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        await opening()
        watching = asyncio.create_task(served.models.watch())
        yield
        watching.cancel()
        served.models.close()

    routes = _Routes(served)
    model = "/v2/models/{name}"
    ways = {"/infer": (routes.infer, "POST"), "": (routes.metadata, "GET")}
    ways |= {"/ready": (routes.is_model_ready, "GET"), "/stats": (routes.stats, "GET")}
    app = Starlette(
        routes=[
            *(
                Route(f"{base}{tail}", answer, methods=[verb])
                for tail, (answer, verb) in ways.items()
                for base in (model, f"{model}/versions/{{version}}")
            ),
            Route("/v2", routes.server),
            Route("/v2/health/live", routes.live),
            Route("/v2/health/ready", routes.is_ready),
            Route("/metrics", routes.metrics),
        ],
        lifespan=lifespan,
        exception_handlers={Refused: _refused, HTTPException: _no_route, Exception: _broken},
    )
    return _Door(app, served)


class _Door:
    """Lets in whoever has the token; without one, who speaks to a loopback address."""

    def __init__(self, app: ASGIApp, served: Served) -> None:
        self._app, self._served = app, served

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            if reason := self._objection(dict(scope["headers"])):
                await JSONResponse({"error": reason}, 403)(scope, receive, send)
                return
            if not scope["path"].startswith(_UNCOUNTED):
                self._served.asked_at = time.monotonic()
        await self._app(scope, receive, send)

    def _objection(self, headers: dict[bytes, bytes]) -> str | None:
        token = self._served.token
        if token is not None:
            given = headers.get(b"authorization", b"")
            is_known = hmac.compare_digest(given, b"Bearer " + token.encode())
            return None if is_known else "a token is needed: `Authorization: Bearer ...`"
        # A page in a browser may be made to call us by another name that leads here.
        is_local = _LOCAL.fullmatch(headers.get(b"host", b""))
        return None if is_local else "this endpoint answers on this machine only"


class _Routes:
    def __init__(self, served: Served) -> None:
        self._served, self._models = served, served.models

    async def infer(self, request: Request) -> Response:
        body = await _body(request)
        name, version = request.path_params["name"], request.path_params.get("version")
        model = await self._models.prepare(name, version)
        loaded = model.loaded(version)
        assert loaded is not None
        # From here to `submit` nothing waits: a swap cannot come between.
        try:
            call = self._read(request, body, loaded)
            feed = _feed(loaded, call)
        except Refused:
            model.stats.count("refused")
            raise
        done = await loaded.batcher.submit(feed, call.timeout_s)
        spent = {"queue_us": int(done.queue_s * 1e6), "compute_us": int(done.compute_s * 1e6)}
        head = {"model_name": model.name, "model_version": loaded.version}
        told = head | {"parameters": spent | {"batch_rows": done.batch_rows}}
        content, length = wire.write(call, told, loaded.backend.say(done.scores))
        if not length:
            return Response(content, media_type="application/json")
        return Response(content, 200, {wire.HEADER: str(length)}, "application/octet-stream")

    def _read(self, request: Request, body: bytes, loaded: Loaded) -> wire.Call:
        if request.headers.get("content-encoding", "identity") != "identity":
            raise Refused(415, "compressed bodies are not read; send it as it is")
        length = request.headers.get(wire.HEADER)
        call = wire.read(body, length, loaded.backend.inputs, loaded.backend.outputs)
        if call.rows > self._served.max_rows:
            most = self._served.max_rows
            raise Refused(400, f"bad request: {call.rows} rows, but a batch holds at most {most}")
        return call

    async def metadata(self, request: Request) -> Response:
        name, version = request.path_params["name"], request.path_params.get("version")
        model = await self._models.prepare(name, version)
        loaded = model.loaded(version)
        assert loaded is not None
        backend = loaded.backend
        return _answer(
            {
                "name": model.name,
                "versions": [one.version for one in model.all()],
                "platform": backend.platform,
                "inputs": [spec.as_dict() for spec in backend.inputs],
                "outputs": [spec.as_dict() for spec in backend.outputs],
                "about": backend.about,
                "problem": model.problem,
            }
        )

    async def is_model_ready(self, request: Request) -> Response:
        version = request.path_params.get("version")
        model = await self._models.prepare(request.path_params["name"], version)
        loaded = model.loaded(version)
        return _ready(loaded is not None and loaded.batcher.is_alive)

    async def stats(self, request: Request) -> Response:
        model: Model = self._models.find(request.path_params["name"])
        return _answer(model.told())

    async def server(self, _request: Request) -> Response:
        extensions = ["binary_tensor_data", "statistics"]
        return _answer({"name": "stagecoach", "version": "1", "extensions": extensions})

    async def live(self, _request: Request) -> Response:
        return _answer({"live": True})

    async def is_ready(self, _request: Request) -> Response:
        return _ready(self._models.are_ready)

    async def metrics(self, request: Request) -> Response:
        # It names every learner's model, so it is for this machine alone.
        if request.client is None or request.client.host not in LOOPBACK:
            raise Refused(403, "metrics are told on this machine only")
        text = prometheus((model.name, model.told()) for model in self._models)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")


async def _body(request: Request) -> bytes:
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _gathered(request)
    except TimeoutError:
        raise Refused(408, f"the body took more than {BODY_SECONDS:g} s") from None
    except ClientDisconnect:
        raise Refused(400, "whoever asked has gone") from None


async def _gathered(request: Request) -> bytes:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > BODY_LIMIT:
            raise Refused(413, f"the body is larger than {BODY_LIMIT} bytes")
    return bytes(body)


def _feed(loaded: Loaded, call: wire.Call) -> Array:
    try:
        return loaded.backend.read(call.inputs)
    except ValueError as error:
        raise Refused(400, f"bad request: {error}"[:400]) from error


def _answer(value: object, status: int = 200) -> Response:
    return Response(orjson.dumps(value), status, media_type="application/json")


def _ready(is_ready: bool) -> Response:
    return _answer({"ready": is_ready}, 200 if is_ready else 503)


async def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    response = _answer({"error": str(error)}, error.status)
    if error.retry_after_s is not None:
        response.headers["Retry-After"] = str(error.retry_after_s)
    if error.status in (408, 413):
        response.headers["Connection"] = "close"  # what is left of the body is not read
    return response


async def _no_route(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _answer({"error": error.detail}, error.status_code)


async def _broken(_request: Request, _error: Exception) -> Response:
    return _answer({"error": "the endpoint failed on this request; see its log"}, 500)
