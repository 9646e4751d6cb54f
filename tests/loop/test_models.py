"""The shapes and the promises of the networks."""

import torch

from trainer.models import MLP, PADDING, TicketClassifier


def tickets() -> tuple[TicketClassifier, torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    model = TicketClassifier(num_words=20, num_alarms=5, num_causes=10, width=8, dropout=0.5)
    return model, torch.randint(1, 20, (6, 7)), torch.rand(6, 5)


def test_an_mlp_has_a_relu_between_its_layers_and_none_at_the_end() -> None:
    names = [type(layer).__name__ for layer in MLP((64, 32, 16, 10), dropout=0.1)]
    assert names == ["Linear", "ReLU", "Dropout", "Linear", "ReLU", "Dropout", "Linear"]


def test_the_order_of_the_words_and_the_padding_change_nothing() -> None:
    model, words, alarms = tickets()
    model.eval()
    scores = model(words, alarms)
    assert scores.shape == (6, 10)
    turned = words.flip(1)
    longer = torch.cat([turned, torch.full((6, 4), PADDING)], dim=1)
    assert torch.allclose(model(longer, alarms), scores, atol=1e-6)


def test_a_ticket_without_words_still_has_finite_scores() -> None:
    model, words, alarms = tickets()
    assert torch.isfinite(model(torch.full_like(words, PADDING), alarms)).all()


def test_dropout_works_in_training_only() -> None:
    model, words, alarms = tickets()
    assert not torch.equal(model(words, alarms), model(words, alarms))
    model.eval()
    assert torch.equal(model(words, alarms), model(words, alarms))
