"""What the tests of the pages share."""

from collections.abc import Iterator

import pytest

from tests.pages import folders


@pytest.fixture(autouse=True)
def _no_worker_stays() -> Iterator[None]:
    yield
    folders.end_workers()
