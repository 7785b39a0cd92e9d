"""The bookkeeping by row is compared with episodes written down and added up one by one."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from agents.features import Features
from agents.protocol import AgentError
from agents.registry import make_agent
from train.opponents import LEARNER, Opponents
from train.ppo import gae
from train.rollout import PENDING, TERMINAL, Decisions, Experience, Tables, collect
from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.deck import NUM_CARDS
from unoflip_env.engine import Engine, Episode
from unoflip_env.observation import observation_layout
from unoflip_env.rules import Rules

LAYOUT = observation_layout(4)
FEATURES = Features(LAYOUT)
RULES = Rules(hand=3)  # short rounds
IS_CARD = np.arange(NUM_ACTIONS) < NUM_CARDS


@dataclass
class Decision:
    """One of the learner's decisions, as the record has it."""

    value: float
    reward: float = 0.0
    is_last: bool = False


@dataclass
class Recorder(Tables):
    """Tables that also write down every seat's decisions of each episode, in the plainest way."""

    engine: Engine
    opponents: Opponents
    seed: int = 0
    chains: list[list[Decision]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(self.engine, FEATURES, self.opponents, np.random.default_rng(self.seed))
        self.open: dict[tuple[int, int], list[Decision]] = {}
        self.num_values = 0

    def policy(
        self, features: np.ndarray, critic_features: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray
    ) -> Decisions:
        """Random cards if any, with values that number the decisions, so that each row can be told from the others."""
        values = 1.0 + self.num_values + np.arange(len(uniforms))
        self.num_values += len(uniforms)
        weights = legal_mask * (np.random.default_rng(self.num_values).random(legal_mask.shape) + IS_CARD)
        return weights.argmax(axis=1), np.zeros(len(uniforms)), values

    def play(self, policy, experience: Experience) -> None:
        legal_mask, first = self.engine.legal_mask(), self.num_values
        for table, seat in enumerate(self.engine.actor.tolist()):
            if self.agent_at[table, seat] == LEARNER and legal_mask[table].sum() > 1:
                first += 1
                self.open.setdefault((table, seat), []).append(Decision(first))
        super().play(policy, experience)
        assert first == self.num_values

    def reward(self, experience: Experience) -> np.ndarray:
        for (table, seat), chain in list(self.open.items()):
            chain[-1].reward += self.engine.rewards[table, seat]
            if self.engine.is_over[table]:
                chain[-1].is_last = True
                self.chains.append(self.open.pop((table, seat)))
        return super().reward(experience)


def make(num_players: int, share: float = 0.5, rules: Rules = RULES, **options) -> Recorder:
    engine = Engine(rules, 24, num_players=num_players, **options)
    weights = {"self": share, "random_play": 1 - share}
    return Recorder(engine, Opponents(weights, {"random_play": make_agent("random_play", 4)}), seed=5)


def new_experience() -> Experience:
    return Experience(4000, FEATURES.size)


@pytest.mark.parametrize(
    "options", [{}, {"rules": Rules(hand=3, target=60), "episode": "match", "reward": "points"}], ids=["round", "match"]
)
@pytest.mark.parametrize("num_players", [2, 4])
def test_rows_are_each_seat_s_own_decisions_in_a_chain(num_players: int, options: dict) -> None:
    tables, experience = make(num_players, **options), new_experience()
    found: dict[float, tuple[float, float | None]] = {}
    for _ in range(12):
        collect([tables], tables.policy, experience, 20)
        for row in experience.complete:
            after = experience.next_row[row]
            successor = None if after == TERMINAL else experience.values[after]
            assert experience.values[row] not in found
            found[experience.values[row]] = (experience.rewards[row], successor)
    decisions = 0
    for chain in tables.chains:
        for decision, after in zip(chain, [*chain[1:], None], strict=True):
            decisions += 1
            assert found[decision.value] == (decision.reward, None if after is None else after.value)
            assert decision.is_last == (after is None)
    assert decisions > 500
    assert len(found) <= tables.num_values


@pytest.mark.parametrize("num_players", [2, 4])
def test_losers_get_their_minus_one(num_players: int) -> None:
    tables, experience = make(num_players, share=1.0), new_experience()
    lost = -1 / (num_players - 1)
    ends = []
    for _ in range(12):
        collect([tables], tables.policy, experience, 20)
        done = experience.complete
        is_end = experience.next_row[done] == TERMINAL
        assert not experience.rewards[done[~is_end]].any()
        ends.extend(experience.rewards[done[is_end]])
    assert set(np.round(ends, 5)) == {1.0, np.float32(round(lost, 5))}
    # Self-play: every seat that had a choice is here, so losers outnumber winners as they do at the table.
    assert np.mean(np.array(ends) < 0) == pytest.approx(1 - 1 / num_players, abs=0.05)


@pytest.mark.parametrize("episode", ["round", "match"])
@pytest.mark.parametrize(
    ("num_players", "teams", "is_shared", "reward"),
    [(2, 0, False, -1), (4, 0, False, -1 / 3), (4, 2, False, -1 / 2), (4, 0, True, 0)],
)
def test_a_round_of_too_many_turns_is_broken_off_and_lost_or_shared(
    num_players: int, teams: int, is_shared: bool, reward: float, episode: Episode
) -> None:
    engine = Engine(Rules(teams=teams), 24, num_players=num_players, episode=episode)
    met = Opponents({"self": 1.0, "random_play": 1.0}, {"random_play": make_agent("random_play", 4)})
    tables = Tables(engine, FEATURES, met, np.random.default_rng(0), max_turns=6, is_shared=is_shared)
    experience = new_experience()

    def never_a_card(_, critic_features: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> Decisions:
        return (legal_mask & ~IS_CARD).argmax(axis=1), np.zeros(len(uniforms)), np.zeros(len(uniforms))

    for _ in range(60):
        tables.play(never_a_card, experience)
        assert engine.games["num_turns"].max() < 6  # dealt anew in the same step
    is_end = experience.next_row[experience.complete] == TERMINAL
    rewards = experience.rewards[experience.complete]
    assert is_end.sum() > 48
    np.testing.assert_allclose(rewards[is_end], reward)
    assert not rewards[~is_end].any()
    wins, games = met.fresh[:, 0]
    assert wins == games == 0


def test_who_is_broken_off_loses_as_much_as_who_loses_in_a_team() -> None:
    tables, experience = make(4, share=1.0, rules=Rules(hand=3, teams=2)), new_experience()
    collect([tables], tables.policy, experience, 150)
    rewards = experience.rewards[experience.complete]
    assert set(rewards[rewards != 0]) == {-tables.unfinished_reward, tables.unfinished_reward} == {0.5, -0.5}


def test_an_opponent_that_breaks_the_rules_is_named() -> None:
    class Cheat:
        name, layout = "cheat", observation_layout(2)

        def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
            return legal_mask.argmin(axis=1)

    met = Opponents({"greedy": 1, "cheat": 1}, {"greedy": make_agent("greedy", 2), "cheat": Cheat()})
    tables = Tables(Engine(RULES, 32), FEATURES, met, np.random.default_rng(0))
    with pytest.raises(AgentError, match=r"^agent cheat: game \d+, seat \d: action .* is not legal"):
        collect([tables], Recorder.policy.__get__(make(2)), new_experience(), 40)


def naive_advantage(chain: list[Decision], i: int, gamma: float, gae_lambda: float) -> float:
    """Schulman et al. 2016, equation 16, as the sum it is."""
    total = 0.0
    for k in range(i, len(chain)):
        after = chain[k + 1].value if k + 1 < len(chain) else 0.0
        total += (gamma * gae_lambda) ** (k - i) * (chain[k].reward + gamma * after - chain[k].value)
    return total


@pytest.mark.parametrize(("gamma", "gae_lambda"), [(1.0, 0.95), (0.9, 0.5), (1.0, 1.0), (1.0, 0.0)])
def test_advantages_are_those_of_each_seat_s_own_chain(gamma: float, gae_lambda: float) -> None:
    tables, experience = make(2), new_experience()
    collect([tables], tables.policy, experience, 120)  # one rollout, so that chains within it are whole
    gains = gae(experience, gamma, gae_lambda)
    by_value = dict(zip(experience.values[: experience.size].tolist(), gains.tolist(), strict=True))
    assert len(tables.chains) > 30
    for chain in tables.chains:
        for i, decision in enumerate(chain):
            assert by_value[decision.value] == pytest.approx(naive_advantage(chain, i, gamma, gae_lambda), rel=1e-4, abs=1e-3)


def test_an_unfinished_chain_is_cut_at_its_pending_row() -> None:
    experience = new_experience()
    experience.add(
        features=np.zeros((3, FEATURES.size)),
        legal_mask=np.ones((3, experience.legal_mask.shape[1])),
        actions=np.zeros(3),
        log_probs=np.zeros(3),
        values=np.array([0.1, 0.4, -0.2]),
    )
    experience.next_row[:3] = [1, 2, PENDING]
    experience.rewards[0] = 0.5
    assert experience.complete.tolist() == [0, 1]
    second = -0.2 - 0.4
    np.testing.assert_allclose(gae(experience, 1.0, 0.5), [0.5 + 0.4 - 0.1 + 0.5 * second, second, 0.0], rtol=1e-6)


def test_one_seat_at_least_is_the_learner_s_and_the_others_follow_the_shares() -> None:
    engine = Engine(RULES, 3000, num_players=4)
    opponents = Opponents({"greedy": 3, "self": 1}, {"greedy": make_agent("greedy", 4)})
    assert opponents.shares.tolist() == [0.25, 0.75]
    seated = Tables(engine, FEATURES, opponents, np.random.default_rng(0)).agent_at
    num_learners = (seated == LEARNER).sum(axis=1)
    assert num_learners.min() == 1
    assert num_learners.mean() == pytest.approx(1 + 3 * 0.25, abs=0.05)
    np.testing.assert_allclose((seated == LEARNER).mean(axis=0), 1.75 / 4, atol=0.04)


def test_forced_decisions_are_played_but_not_learned_from() -> None:
    tables, experience = make(2, share=1.0), new_experience()
    collect([tables], tables.policy, experience, 60)
    assert (experience.legal_mask[: experience.size].sum(axis=1) > 1).all()
    assert experience.size < 24 * 60


def test_opponents_act_on_what_their_own_seat_sees() -> None:
    seen = []

    class Spy:
        name, layout = "spy", observation_layout(2)

        def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
            seen.append((observations[:, self.layout["actor"]], legal_mask.sum(axis=1)))
            return legal_mask.argmax(axis=1)

    engine = Engine(RULES, 32)
    tables = Tables(engine, FEATURES, Opponents({"spy": 1.0}, {"spy": Spy()}), np.random.default_rng(0))
    experience = new_experience()

    def first_legal(_, critic_features: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> Decisions:
        return legal_mask.argmax(axis=1), np.zeros(len(uniforms)), np.zeros(len(uniforms))

    collect([tables], first_legal, experience, 40)
    actors, choices = (np.concatenate(column, axis=None) for column in zip(*seen, strict=True))
    assert (actors == 1).all()  # 1 + the relative seat that decides: itself
    assert (choices > 1).all()


def test_an_open_critic_s_features_are_those_of_the_seat_that_decides() -> None:
    """The critic sees the fronts of the other hands; the policy does not."""
    critic = Features(observation_layout(2, "open"))
    seen = []

    def first_legal(features: np.ndarray, critic_features: np.ndarray, legal_mask: np.ndarray, _: np.ndarray) -> Decisions:
        own, known = (critic_features[:, critic.slices[name]] for name in ("own_backs", "front_colors"))
        seen.append(
            (
                own,
                features[:, critic.slices["own_backs"]],
                known.sum(axis=1) - features[:, critic.slices["front_colors"]].sum(axis=1),
            )
        )
        return legal_mask.argmax(axis=1), np.zeros(len(legal_mask)), np.zeros(len(legal_mask))

    tables = Tables(
        Engine(RULES, 32), Features(observation_layout(2)), Opponents({"self": 1}, {}), np.random.default_rng(0), critic
    )
    experience = Experience(2000, Features(observation_layout(2)).size, critic.size)
    collect([tables], first_legal, experience, 40)
    own, same, more = (np.concatenate(column) for column in zip(*seen, strict=True))
    np.testing.assert_array_equal(own, same)
    assert (more >= 0).all()
    assert more.mean() > 1
    assert experience.critic_features[: experience.size].any(axis=1).all()
