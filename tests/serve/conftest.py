"""One small model of tickets, exported once, and one endpoint that most tests ask."""

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from tests.serve.making import Made, crown, other_weights, put
from trainer.datasets import Desk, Dials, load, prepare
from trainer.serve import client
from trainer.serve.client import Endpoint


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return load(prepare(tmp_path_factory.mktemp("tickets"), Dials(tickets=1000)))


@pytest.fixture(scope="session")
def made(desk: Desk, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """An untrained travelling model of the desk's tickets, as ONNX."""
    import torch

    from trainer.models import TicketClassifier
    from trainer.travelling import Sets

    sets = Sets.of(desk, 200, 1337, torch.device("cpu"))
    torch.manual_seed(1337)
    sizes = [sets.train[0].shape[1], 16, len(desk.causes)]
    model = TicketClassifier(sizes=sizes, num_words=len(sets.vocabulary)).eval()
    place = tmp_path_factory.mktemp("export") / "model.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            (sets.test[0][:3],),
            str(place),
            input_names=["tickets"],
            output_names=["scores"],
            dynamic_shapes=({0: torch.export.Dim.DYNAMIC},),
            dynamo=True,
            external_data=False,
            verbose=False,
        )
    config = {
        "vocabulary": list(sets.vocabulary.words),
        "alarms": list(desk.alarm_names),
        "causes": list(desk.causes),
    }
    np.save(place.with_name("test.npy"), sets.test[0].numpy())
    return Made(place.read_bytes(), config)


@pytest.fixture(scope="session")
def second(made: Made) -> Made:
    return other_weights(made)


@pytest.fixture(scope="session")
def served(
    made: Made, second: Made, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Endpoint]:
    """An endpoint with the learner `local` (champion 2 of 1 and 2) and a timed model."""
    runs = tmp_path_factory.mktemp("served") / "runs"
    put(runs, 1, made)
    put(runs, 2, second)
    crown(runs, 2)
    options = ("--max-batch", "8", "--extra", "timed:2:1", "--extra", "wide")
    with client.private(runs, runs / "private.json", *options) as endpoint:
        yield endpoint
