"""The shapes and the promises of the networks."""

import torch

from trainer.models import MLP, TicketClassifier


def classifier(**settings: float) -> TicketClassifier:
    torch.manual_seed(0)
    return TicketClassifier(sizes=(25, 16, 10), num_words=20, **settings)


def tickets() -> torch.Tensor:
    return (torch.rand(6, 25, generator=torch.Generator().manual_seed(1)) > 0.5).float()


def test_an_mlp_has_a_relu_between_its_layers_and_none_at_the_end() -> None:
    names = [type(layer).__name__ for layer in MLP((64, 32, 16, 10), dropout=0.1)]
    assert names == ["Linear", "ReLU", "Dropout", "Linear", "ReLU", "Dropout", "Linear"]


def test_words_are_left_out_in_training_only_and_alarms_never() -> None:
    model, seen = classifier(word_dropout=0.5), []
    model.net.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    model(tickets())
    model.eval()
    model(tickets())
    trained, asked = seen
    assert torch.equal(asked, tickets())
    assert torch.equal(trained[:, :5], tickets()[:, :5])
    words = tickets()[:, 5:]
    left_out = ((trained[:, 5:] == 0) & (words == 1)).sum() / words.sum()
    assert 0.3 < left_out < 0.7
    assert not trained[:, 5:][words == 0].any()


def test_dropout_works_in_training_only() -> None:
    model = classifier(dropout=0.5)
    assert not torch.equal(model(tickets()), model(tickets()))
    model.eval()
    assert torch.equal(model(tickets()), model(tickets()))
