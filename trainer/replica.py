"""A copy of the travelling model in a rank: alone, or one of several that DDP keeps alike.

Replicas answer the orders of their worker, one after another; what a step is and when it is done
is the worker's to say. A rank on a machine with a GPU still computes on the CPU: CUDA does not
survive a fork, and NCCL wants as many GPUs as ranks.
"""

import copy
import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
from safetensors.torch import load, save
from torch import Tensor, nn
from torch.distributed import GradBucket  # type: ignore[attr-defined]
from torch.nn.parallel import DistributedDataParallel

from trainer import gloo
from trainer.errors import BadSetting, RankGone
from trainer.evaluation import score
from trainer.events import write_all
from trainer.flat import FlatAdamW
from trainer.links import Links
from trainer.models import TicketClassifier
from trainer.overlap import Clock
from trainer.shards import Shards
from trainer.travelling import keep, travel
from trainer.worker import ActiveRun

Batch = tuple[Tensor, Tensor]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What a replica is made of and reads; `batch_size` counts the tickets of all ranks."""

    tickets: int
    width: int
    begin: str
    batch_size: int
    learning_rate: float
    epsilon: float
    bucket_kib: int


class Replica:
    """What a rank does; it comes to life at its first order, behind the fork."""

    net: Any  # what a step calls: the model itself, or DDP around it
    model: TicketClassifier
    optimizer: FlatAdamW
    clock: Clock

    def __init__(
        self, run: ActiveRun, recipe: Recipe, one_step: Callable[["Replica", Batch, bool], Tensor]
    ) -> None:
        """Only remembers: the worker that makes it runs no tensor operation."""
        self._run, self._recipe, self._one_step = run, recipe, one_step

    def __call__(self, links: Links, order: Mapping[str, Any]) -> Any:
        """Obey one order.

        Raises:
            RankGone: if another rank is no more.
        """
        obey: dict[str, Callable[[Links, Mapping[str, Any]], Any]] = {
            "begin": self._begin,
            "step": self._step,
            "look": self._look,
            "save": self._save,
            "keep": self._keep,
        }
        try:
            return obey[order["do"]](links, order)
        except RuntimeError as error:
            if gloo.is_about_others(error):
                raise RankGone(None) from error
            raise

    def _begin(self, links: Links, order: Mapping[str, Any]) -> dict[str, Any]:
        """Make the model, in DDP's hands where there are others; go on from a checkpoint."""
        recipe = self._recipe
        try:
            journey = travel(
                _Silent(self._run), tickets=recipe.tickets, width=recipe.width, begin=recipe.begin
            )
        except BadSetting as error:
            return {"bad_setting": str(error)}
        self.clock, self._journey = Clock(), journey
        self.net = self.model = journey.model()
        self.optimizer = FlatAdamW(self.model, lr=recipe.learning_rate, eps=recipe.epsilon)
        if links.world_size > 1:
            gloo.join(links.rank, links.world_size, Path(order["meeting"]))
            self.net = share(self.model, recipe.bucket_kib, self.clock)
        place = {"rank": links.rank, "world_size": links.world_size, "seed": self._run.seed}
        self._shards = Shards(len(journey.sets.train[0]), recipe.batch_size, **place)
        self._rehearse()
        self._put_back(order["name"], links.rank)
        return {"data": journey.sets.desk.folder.name}

    def _rehearse(self) -> None:
        """One pass for nothing: only after its first one does DDP settle which bucket is which.

        Without it, sums would be taken in another order in the first step after a resume.
        """
        tickets, causes = self._batch(1)
        F.cross_entropy(self.net(tickets), causes).backward()  # type: ignore[no-untyped-call]
        self.optimizer.zero_grad()

    def _step(self, _: Links, order: Mapping[str, Any]) -> dict[str, Any]:
        batch = self._batch(order["step"])
        self.clock.clear()
        loss = self._one_step(self, batch, order["averages"])
        return {"loss": loss.item()} | self.clock.as_dict()

    def _look(self, links: Links, order: Mapping[str, Any]) -> dict[str, Any]:
        """Checksums of parameters and gradients; how far the parameters lie from rank 0's."""
        flat, gradients = self._flat, self._flat.grad
        assert gradients is not None
        found: dict[str, Any] = {"parameters": checksum(flat), "gradients": checksum(gradients)}
        if links.rank == 0:
            now = score(self.model, *self._journey.sets.validation)
            found |= {"val/loss": now.loss, "val/accuracy": now.accuracy}
        if links.world_size > 1:
            first = flat.detach().clone()
            dist.broadcast(first, 0)
            found["distance"] = float((flat.detach().double() - first.double()).norm())
        return found

    def _save(self, links: Links, order: Mapping[str, Any]) -> None:
        """Write what a resume needs into an open file; ranks that are alike leave it to rank 0."""
        if links.rank >= len(order["files"]):
            return
        file = order["files"][links.rank]
        os.lseek(file, 0, os.SEEK_SET)
        os.ftruncate(file, 0)
        write_all(file, save({"parameters": self._flat.detach(), **self._moments}))

    def _keep(self, links: Links, order: Mapping[str, Any]) -> float | None:
        """Keep the model for later stages and open the test tickets, once."""
        if links.rank:
            return None
        keep(self._run, self.model, self._journey.sets, order["about"])
        return score(self.model, *self._journey.sets.test).accuracy

    def _put_back(self, name: str, rank: int) -> None:
        saved = self._run.restored.get("states", {}).get(name, [])
        if not saved:
            return
        mine = saved[min(rank, len(saved) - 1)]
        with torch.no_grad():
            for part, value in {"parameters": self._flat, **self._moments}.items():
                value.copy_(mine[part])

    def _batch(self, step: int) -> Batch:
        rows = self._shards.rows(step)
        tickets, causes = self._journey.sets.train
        return tickets[rows], causes[rows]

    @property
    def _flat(self) -> nn.Parameter:
        parameter: nn.Parameter = self.optimizer.param_groups[0]["params"][0]
        return parameter

    @property
    def _moments(self) -> dict[str, Tensor]:
        return dict(self.optimizer.state[self._flat])


# region share
def share(model: nn.Module, bucket_kib: int, clock: Clock) -> DistributedDataParallel:
    """The model in DDP's hands: backward averages its gradients over all ranks, in buckets."""
    net = DistributedDataParallel(model, bucket_cap_mb=bucket_kib / 1024)
    net.register_comm_hook(clock, average)
    return net


def average(clock: Clock, bucket: GradBucket) -> torch.futures.Future[Tensor]:
    """DDP calls this in the midst of backward, as soon as all gradients of a bucket are there."""
    gradients = bucket.buffer()
    note_end = clock.bucket(gradients.nbytes)
    gradients /= dist.get_world_size()
    under_way = dist.all_reduce(gradients, async_op=True).get_future()

    def is_back(done: torch.futures.Future[list[Tensor]]) -> Tensor:
        note_end()
        return done.value()[0]

    mean: torch.futures.Future[Tensor] = under_way.then(is_back)
    return mean


# endregion


def checksum(values: Tensor) -> str:
    """Twelve characters that differ as soon as a single bit of the values does."""
    return hashlib.blake2b(values.detach().numpy().data, digest_size=6).hexdigest()


def read_state(file: int) -> dict[str, Tensor]:
    """What a rank has saved into an open file."""
    return load(os.pread(file, os.fstat(file).st_size, 0))


class _Silent(ActiveRun):
    """The run as its ranks see it: only the worker speaks."""

    def __init__(self, run: ActiveRun) -> None:
        self.__dict__.update(copy.copy(vars(run)))

    def show(self, name: str, value: Any, *, origin: str = "M") -> None:
        """Say nothing."""
