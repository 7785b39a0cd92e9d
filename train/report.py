"""What a finished run leaves for people and programs: the learning curve, the figures, and the card of its best agent."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from rich.console import Console

from agents.checkpoint import load_agent
from eval.match import name_rules
from eval.statistics import LEVEL
from train.config import SCHEMA, Config
from train.run_folder import CARD, read_metrics
from train.testing import Test, test
from train.trainer import Trainer
from unoflip_env.files import beside, write_text

Curves = dict[str, dict[str, list]]


def write_report(config: Config, trainer: Trainer, console: Console) -> None:
    """Test the best agent on deals that no choice was made by, and write figures, curve and card; the card comes last."""
    folder = config.run
    curves = read_curves(folder)
    write_text(folder / "figures.json", json.dumps(curves) + "\n")
    with beside(folder / "curve.png") as path:
        draw(curves, config).savefig(path, dpi=150)
    agent = load_agent(folder / "agent")
    with console.status("testing the best agent on fresh deals"):
        tests = list(test(agent, config, config.seed + 1))
    write_text(folder / "card.md", as_text(config, trainer, tests))
    write_text(folder / CARD, json.dumps(as_dict(config, trainer, tests), indent=2) + "\n")


def read_curves(folder: Path) -> Curves:
    """By the figure's name: at which decisions it was taken, and its values (or value, lower and upper end)."""
    curves: Curves = defaultdict(lambda: {"decisions": [], "values": []})
    for line in read_metrics(folder):
        for name in line.keys() - {"decisions", "updates", "minutes"}:
            curves[name]["decisions"].append(line["decisions"])
            curves[name]["values"].append(line[name])
    return dict(sorted(curves.items()))


def draw(curves: Curves, config: Config) -> Figure:
    """Win rates with their intervals above, entropy and foresight below, over the decisions learned from."""
    figure = Figure(figsize=(8, 7), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    for name, curve in curves.items():
        if name.startswith("win_rate/"):
            rates, lows, highs = zip(*curve["values"], strict=True)
            millions = [decisions / 1e6 for decisions in curve["decisions"]]
            above.plot(millions, rates, marker="o", label=name.removeprefix("win_rate/").replace("_", " "))
            above.fill_between(millions, lows, highs, alpha=0.2)
    for name, label in (("policy/entropy", "entropy of the policy"), ("value/explained_variance", "share of results foreseen")):
        curve = curves.get(name, {"decisions": [], "values": []})
        below.plot([decisions / 1e6 for decisions in curve["decisions"]], curve["values"], label=label)
    title = ", ".join(map(name_rules, config.rules)) + " (matches)" * (config.episode == "match")
    above.set(ylabel=f"win rate, with {LEVEL:.0%} intervals", title=title)
    below.set(xlabel="millions of decisions")
    for axes in (above, below):
        axes.grid(alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize="small")
    return figure


def as_dict(config: Config, trainer: Trainer, tests: list[Test]) -> dict[str, Any]:
    """The card for programs."""
    return {
        "agent": "agent",
        "rules": {rules.id: asdict(rules) for rules in config.rules},
        "config": SCHEMA.dump_python(config, mode="json"),
        "processes": trainer.world.size,
        **trainer.counts(),
        "results": {found.name: found.result.as_dict() for found in tests},
    }


def as_text(config: Config, trainer: Trainer, tests: list[Test]) -> str:
    """The card for people, in Markdown."""
    processes = "1 process" if trainer.world.size == 1 else f"{trainer.world.size} processes"
    policy = trainer.agent.network
    network = f"{policy.kind}, {sum(p.numel() for p in policy.parameters()):,} parameters"
    facts = {
        "rules": "; ".join(f"{name_rules(rules)} (id {rules.id})" for rules in config.rules),
        "pairing, information": f"{', '.join(sorted({str(rules.pairing) for rules in config.rules}))}, {config.information}",
        "players": ", ".join(map(str, config.players)),
        "episode": config.episode,
        "opponents": ", ".join(f"{name} {weight:g}" for name, weight in config.opponents.items() if weight),
        "network": network,
        "start": config.start_from or "random weights",
        "critic": config.critic,
        "seed": str(config.seed),
        "budget": f"{config.total_decisions:,} decisions" + f", {config.max_minutes:g} minutes" * bool(config.max_minutes),
        "the whole run": f"{trainer.num_decisions:,} decisions, {trainer.minutes:.1f} minutes, {processes}",
        "the agent": "the run's best by its tests; agent.json says after how many decisions",
    }
    rows = [f"| {name} | {value} |" for name, value in facts.items()]
    return "\n".join(
        ["# What this agent is", "", "| | |", "| --- | --- |", *rows, "", "## How well it plays", "", *_results(tests), ""]
    )


def _results(tests: list[Test]) -> list[str]:
    if not tests:
        return ["Not tested: `test_against` is empty."]
    deals, seed = tests[0].result.num_deals, tests[0].result.seed
    lines = ["| table | opponent | win rate | fair | games |", "| --- | --- | --- | --- | --- |"]
    for found in tests:
        rate, low, high = (f"{100 * figure:.1f}" for figure in found.win_rate)
        table = f"{found.num_players} players, {name_rules(found.rules)}"
        fair, games = f"{found.result.fair_share:.1%}", f"{found.result.num_games:,}"
        lines.append(f"| {table} | {found.opponent} | {rate}% [{low}, {high}] | {fair} | {games} |")
    method = (
        f"One seat for the agent, the others for the opponent; {deals:,} duplicate deals with the seats rotated, seed {seed}, "
        f"other deals than the agent was chosen by; {LEVEL:.0%} intervals, bootstrapped over deals."
    )
    return [method, "", *lines]
