"""The C version plays the engine's games, so that the time of one can be held against the other's."""

import shutil

import pytest

from benchmarks.yardstick.__main__ import Pair
from unoflip_env.game import Phase
from unoflip_env.kernels import random_play

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


@pytest.mark.parametrize("num_players", [2, 3, 4, 10])
def test_the_c_version_plays_the_same_games_and_writes_the_same_bytes(num_players):
    pair = Pair(num_players, num_games=128)
    pair.play(0, 3000, random_play.BARE)
    phases = set()
    for seed in range(1, 20):
        pair.play(seed, 7, random_play.OBSERVATION)
        assert pair.differences() == []
        phases |= set(pair.observations[:, pair.engine.layout["phase"]].flat)
    assert pair.counts[0] >= 64, "too few rounds ended to speak of"
    assert phases == {Phase.PLAY, Phase.DRAWN, Phase.COLOR, Phase.RESPOND, Phase.UNO}


def test_a_difference_is_found():
    pair = Pair(2, num_games=8)
    pair.play(0, 50, random_play.OBSERVATION)
    pair.yardstick.play(1, 1, random_play.OBSERVATION)
    assert {"masks", "observations", "rounds and draws"} & set(pair.differences())
