"""Which processor each process uses and what carries numbers between them, on machines with other numbers of GPUs."""

import pytest
import torch

from train.trainer import choose_device
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


def test_without_nccl_gloo_does_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.distributed, "is_nccl_available", lambda: False)
    assert backend() == "gloo"
