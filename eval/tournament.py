"""Plays a tournament: shards of whole deals, in this process or by workers, written down by this process alone.

A shard's results are a pure function of the settings and its place in them, so neither the workers, their number, nor the
order in which shards are played and come back matter to the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from agents.external.agent import ExternalAgent, close_all, faults_of, is_external, make_external
from agents.protocol import Agent
from agents.registry import make_agent
from eval.ledger import Ledger, Played, Shard
from eval.play import DuplicateDeals, Progress
from eval.settings import Settings
from eval.workers import Workers
from unoflip_env.observation import observation_layout


def shards_of(settings: Settings) -> Iterator[Shard]:
    """All shards in the order of play: every line-up gets its first deals before any gets more."""
    for first_deal in range(0, settings.deals, settings.shard_deals):
        for rules in range(len(settings.rules)):
            for line_up in range(len(settings.line_ups)):
                yield Shard(first_deal, rules, line_up)


def play_shard(settings: Settings, shard: Shard, num_threads: int | None = None) -> Played:
    """Play a shard's deals to the end. `num_threads` as for DuplicateDeals. Raises AgentError as it does."""
    line_up, rules = settings.line_ups[shard.line_up], settings.rules[shard.rules].rules
    chosen = list(dict.fromkeys(line_up))
    agents = [_agent(settings.agents[i].spec, settings.num_players, rules.information) for i in chosen]
    deals = DuplicateDeals(
        agents,
        [chosen.index(i) for i in line_up],
        rules,
        min(settings.shard_deals, settings.deals - shard.first_deal),
        settings.seed,
        first_deal=shard.first_deal,
        episode=settings.episode,
        num_threads=num_threads,
    )
    try:
        deals.play()
    finally:
        close_all(agents)
    faults = tuple((i, fault) for i, agent in zip(chosen, agents, strict=True) for fault in faults_of(agent))
    return Played(deals.outcomes(), faults)


def _agent(spec: str, num_players: int, information: str) -> Agent:
    """External agents begin anew with each shard: what they did wrong in another must not matter to it."""
    if is_external(spec):
        return make_external(spec, observation_layout(num_players, information), is_known=True)
    return _kept_agent(spec, num_players, information)


_kept_agent = lru_cache(maxsize=64)(make_agent)


def compile_kernels(settings: Settings) -> None:
    """Play a deal of each kind of line-up here, so that workers find the kernels compiled and need not all do so at once."""

    def kind(agent: int) -> type:
        spec, information = settings.agents[agent].spec, settings.rules[0].rules.information
        return ExternalAgent if is_external(spec) else type(_agent(spec, settings.num_players, information))

    one_deal = settings.model_copy(update={"deals": 1})
    for number in {frozenset(map(kind, line_up)): i for i, line_up in enumerate(settings.line_ups)}.values():
        play_shard(one_deal, Shard(0, 0, number), num_threads=1)


def num_games_of(settings: Settings, shard: Shard) -> int:
    """The games of a shard."""
    return min(settings.shard_deals, settings.deals - shard.first_deal) * settings.num_players


def play_tournament(ledger: Ledger, workers: Workers | None = None, on_progress: Progress = lambda num_ended: None) -> None:
    """Play what the ledger lacks; `on_progress` gets the number of games written down.

    `workers` play the shards, by default this process. Raises AgentError, LedgerError, WorkerError; after these, and after
    a KeyboardInterrupt, the ledger has all shards that were done.
    """
    done = ledger.shards_done()
    missing = (shard for shard in shards_of(ledger.settings) if shard not in done)
    play: Callable[[Iterable[Shard]], Iterator[tuple[Shard, Played]]]
    play = workers.play if workers else lambda shards: ((shard, play_shard(ledger.settings, shard)) for shard in shards)
    if workers and any(shard not in done for shard in shards_of(ledger.settings)):
        compile_kernels(ledger.settings)
    for shard, played in play(missing):
        ledger.add(shard, played)
        on_progress(num_games_of(ledger.settings, shard))
