"""Shards on a cluster of two nodes, of which one is lost on the way."""

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from agents.protocol import AgentError
from eval.ledger import Ledger, Played, Shard
from eval.settings import Settings
from eval.tournament import play_shard, play_tournament, shards_of
from eval.workers import RayWorkers
from tests.eval.test_tournament import exported, play, settings_of

ray = pytest.importorskip("ray", reason="the extra `ray` is not installed")


@pytest.fixture(scope="module")
def cluster() -> Iterator:
    from ray.cluster_utils import Cluster

    # As nice as Ray has its workers by default (15) they would hardly be heard beside other tests.
    system = {"worker_niceness": 0, "prestart_worker_first_driver": False}
    head = {"num_cpus": 1, "include_dashboard": False, "_system_config": system}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    cluster.add_node(num_cpus=1)
    yield cluster
    cluster.shutdown()


def play_or_die(settings: Settings, notes: Path, shard: Shard) -> Played:
    """Notes the node it runs on; the first worker to play the third shard dies of it."""
    (notes / ray.get_runtime_context().get_node_id()).touch()
    if shard == list(shards_of(settings))[2] and not (notes / "died").exists():
        (notes / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return play_shard(settings, shard, num_threads=1)


def complain(shard: Shard) -> Played:
    raise AgentError(f"agent Mute: {shard.first_deal}")


def test_what_goes_wrong_there_is_told_here(cluster) -> None:
    with closing(RayWorkers(complain, cluster.address)) as workers, pytest.raises(AgentError, match=r"^agent Mute: 7$"):
        list(workers.play([Shard(7, 0, 0)]))


def test_a_cluster_gives_the_same_results(cluster, tmp_path: Path) -> None:
    settings, notes = settings_of(), tmp_path / "notes"
    notes.mkdir()
    task = partial(play_or_die, settings, notes)
    with Ledger(tmp_path / "results.db", settings) as ledger, closing(RayWorkers(task, cluster.address)) as workers:
        play_tournament(ledger, workers)
    assert {note.name for note in notes.iterdir()} == {"died", *(node["NodeID"] for node in cluster.global_state.node_table())}
    play(tmp_path / "whole.db", settings)
    assert exported(tmp_path / "results.db") == exported(tmp_path / "whole.db")
