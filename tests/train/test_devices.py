"""Which processor each process uses and what carries numbers between them, on machines with other numbers of GPUs."""

from pathlib import Path
from unittest.mock import MagicMock

import pytest
import torch
from rich.console import Console

from train.config import Config, ConfigError
from train.on_ray import train_on_ray
from train.trainer import choose_device
from train.training import Ending
from train.world import backend


@pytest.mark.parametrize(
    ("num_gpus", "place", "device", "carrier"),
    [
        (0, 1, "cpu", "gloo"),
        (1, 0, "cuda:0", "gloo"),  # NCCL does not let two processes share one
        (1, 1, "cuda:0", "gloo"),
        (2, 1, "cuda:1", "cpu:gloo,cuda:nccl"),
        (4, 1, "cuda:1", "cpu:gloo,cuda:nccl"),
    ],
)
def test_each_of_two_processes_has_its_own_gpu_where_there_are_enough(
    num_gpus: int, place: int, device: str, carrier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: num_gpus)
    monkeypatch.setattr(torch.distributed, "is_nccl_available", lambda: True)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    monkeypatch.setenv("LOCAL_RANK", str(place))
    assert choose_device("auto") == torch.device(device)
    assert backend() == carrier


@pytest.mark.parametrize(
    ("num_gpus", "has_nccl", "expected"),
    [
        (0, True, (False, "gloo")),
        (1, True, (False, "gloo")),
        (2, True, (True, "cpu:gloo,cuda:nccl")),
        (2, False, (True, "gloo")),
    ],
)
def test_two_workers_of_ray_get_a_gpu_each_where_ray_has_as_many(
    num_gpus: int, has_nccl: bool, expected: tuple[bool, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ray = pytest.importorskip("ray")
    torch_of_ray = pytest.importorskip("ray.train.torch", exc_type=ImportError)
    trainer = MagicMock()
    monkeypatch.setattr(torch.distributed, "is_nccl_available", lambda: has_nccl)
    for module, name, value in (
        (ray, "is_initialized", lambda: True),
        (ray, "cluster_resources", lambda: {"CPU": 8.0, "GPU": float(num_gpus)}),
        (ray, "remote", MagicMock()),
        (ray, "get", lambda _: 0),
        (torch_of_ray, "TorchTrainer", trainer),
    ):
        monkeypatch.setattr(module, name, value)
    assert train_on_ray(Config(run=tmp_path), 2, Console()) == Ending(tmp_path / "agent")
    asked = trainer.call_args.kwargs
    assert (asked["scaling_config"].use_gpu, asked["torch_config"].backend) == expected
    assert asked["scaling_config"].num_workers == 2


@pytest.mark.parametrize("name", ["gpu", "meta", "fpga"])
def test_a_device_that_cannot_compute_here_is_refused_in_a_line(name: str) -> None:
    """Of torch's own devices `meta` holds no numbers, and no build of it has kernels for the last."""
    with pytest.raises(ConfigError, match=f"^device='{name}': expected one that torch can compute on here: .{{,300}}$"):
        choose_device(name)


def test_without_nccl_gloo_does_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.distributed, "is_nccl_available", lambda: False)
    assert backend() == "gloo"
