"""Early stopping: remembers how validation went, the best weights, and when waiting is over."""

from typing import Any

from torch import Tensor, nn


class BestStep:
    """The validation losses so far and, where there is patience, the weights of the best one."""

    def __init__(self, patience: int, saved: dict[str, Any]) -> None:
        """`patience` is the number of epochs without a new best; 0 never stops and keeps nothing.

        `saved` is what `state` gave before a resume, else empty.
        """
        self.patience = patience
        self.losses: list[float] = list(saved.get("losses", []))
        self.weights: dict[str, Tensor] | None = saved.get("weights")

    def see(self, loss: float, model: nn.Module) -> None:
        """Takes note of one more epoch."""
        self.losses.append(loss)
        if self.patience and loss == min(self.losses):
            self.weights = {name: value.clone() for name, value in model.state_dict().items()}

    @property
    def is_over(self) -> bool:
        """Whether as many epochs as patience allows have brought no new best."""
        return 0 < self.patience <= len(self.losses) - self.turn_epoch

    @property
    def turn_epoch(self) -> int:
        """The epoch with the lowest validation loss, counted from 1; 0 before the first."""
        return self.losses.index(min(self.losses)) + 1 if self.losses else 0

    def put_back(self, model: nn.Module) -> None:
        """Gives the model the weights of the best step, if they were kept."""
        if self.weights is not None:
            model.load_state_dict(self.weights)

    def state(self) -> dict[str, Any]:
        """What a resume needs."""
        return {"losses": self.losses, "weights": self.weights}
