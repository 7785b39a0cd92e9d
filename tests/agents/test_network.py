from collections.abc import Iterator

import numpy as np
import pytest
import torch

from agents.features import (
    COLOR_FACES,
    CUT,
    DISCARDS,
    DRAW_BACK,
    DRAWN,
    FLIP_FACE,
    IS_CHALLENGED,
    IS_DARK,
    IS_IN_PLAY,
    IS_NEXT_BY_FLIP,
    NUM_BACK_FLAGS,
    NUM_COLORED,
    NUM_FLAGS,
    NUM_WILDS,
    OTHER_BACKS,
    OTHER_KNOWN,
    OWN,
    OWN_BACKS,
    SEEN_BACKS,
    TOP,
    Features,
)
from agents.network import CardCritic, CardNetwork, MLPNetwork, Network, NetworkAgent, masked
from agents.protocol import Agent, Evaluator
from agents.sampling import UNDRAWN, sample
from unoflip_env.actions import COLOR, NUM_ACTIONS
from unoflip_env.deck import DARK, NUM_CARDS, NUM_COLORS, NUM_FACES, SLOT_FACE
from unoflip_env.engine import Engine
from unoflip_env.observation import ObservationLayout, observation_layout
from unoflip_env.rules import Rules

LAYOUT = observation_layout(4)


def positions(
    num_players: int, num_steps: int = 60, rules: Rules | str = "official"
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Observations and legal masks from random games."""
    engine = Engine(rules, 16, seed=num_players, num_players=num_players, auto_reset=True)
    rng = np.random.default_rng(0)
    for _ in range(num_steps):
        legal_mask = engine.legal_mask()
        yield engine.observe(LAYOUT), legal_mask
        engine.step((rng.random(legal_mask.shape) * legal_mask).argmax(axis=1))


def all_positions(num_players: int, rules: Rules | str = "official") -> tuple[np.ndarray, np.ndarray]:
    observations, legal_masks = zip(*positions(num_players, rules=rules), strict=True)
    return np.concatenate(observations), np.concatenate(legal_masks)


def network(seed: int = 0) -> CardNetwork:
    made = CardNetwork(Features(LAYOUT), color_width=8, trunk_width=16)
    generator = torch.Generator().manual_seed(seed)
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.3, generator=generator)
    return made


def order_of_play(seen: dict[str, np.ndarray], num_players: int) -> list[int]:
    step = 1 if seen["is_forward"][0] else -1
    return [k * step % num_players for k in range(num_players)]


def named(entries: np.ndarray) -> np.ndarray:
    """Cards by face, from entries of 1 + face."""
    return np.bincount(entries[entries > 0].astype(int) - 1, minlength=NUM_FACES)


def front_planes(seen: dict[str, np.ndarray], order: list[int]) -> dict[int, np.ndarray]:
    drawn = [SLOT_FACE[s - 1] for s in seen["drawn_slot"] if s]
    planes = {
        OWN: np.bincount(SLOT_FACE[seen["own_hand"] > 0], minlength=NUM_FACES),
        DRAWN: np.bincount(np.array(drawn, int), minlength=NUM_FACES),
        DISCARDS: seen["discards"],
        TOP: np.bincount(seen["top_face"], minlength=NUM_FACES),
        CUT: named(seen["cut_face"]),
    }
    return planes | {OTHER_KNOWN + i: seen["other_known"][seat - 1] for i, seat in enumerate(order[1:])}


def back_planes(seen: dict[str, np.ndarray], order: list[int]) -> dict[int, np.ndarray]:
    single = {OWN_BACKS: "own_backs", SEEN_BACKS: "seen_backs", FLIP_FACE: "flip_face", DRAW_BACK: "draw_back"}
    planes = {plane: named(seen[name]) for plane, name in single.items()}
    return planes | {OTHER_BACKS + i: seen["other_backs"][seat - 1] for i, seat in enumerate(order[1:])}


def check_planes(planes: dict[int, np.ndarray], colors: np.ndarray, wilds: np.ndarray) -> None:
    for plane, counts in planes.items():
        by_color = colors[:, plane * COLOR_FACES : (plane + 1) * COLOR_FACES].reshape(-1)
        np.testing.assert_array_equal(by_color, counts[:NUM_COLORED])
        np.testing.assert_array_equal(wilds[plane * NUM_WILDS : (plane + 1) * NUM_WILDS], counts[NUM_COLORED:])


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_features_count_the_cards_by_face_in_the_order_of_play(num_players: int) -> None:
    features = Features(LAYOUT)
    observations, _ = all_positions(num_players)
    assert {0, 1} <= set(observations[:, LAYOUT["is_forward"]].flat)
    for observation, row in zip(observations, features(observations), strict=True):
        seen = LAYOUT.view(observation)
        part = {name: row[where] for name, where in features.slices.items()}
        order = order_of_play(seen, num_players)
        fronts, backs = part["front_colors"].reshape(NUM_COLORS, -1), part["back_colors"].reshape(NUM_COLORS, -1)
        check_planes(front_planes(seen, order), fronts, part["front_wilds"])
        check_planes(back_planes(seen, order), backs, part["back_wilds"])
        colors = np.arange(NUM_COLORS)
        np.testing.assert_array_equal(fronts[:, IS_IN_PLAY - NUM_FLAGS], colors == seen["color"])
        np.testing.assert_array_equal(fronts[:, IS_CHALLENGED - NUM_FLAGS], colors == seen["challenged_color"])
        np.testing.assert_array_equal(fronts[:, IS_DARK - NUM_FLAGS], (seen["side"] == DARK).repeat(NUM_COLORS))
        flip_color = (seen["flip_face"].astype(int) - 1) // COLOR_FACES
        np.testing.assert_array_equal(backs[:, IS_NEXT_BY_FLIP - NUM_BACK_FLAGS], colors == flip_color)
        np.testing.assert_array_equal(part["table"][:num_players], seen["hand_sizes"][order])
        np.testing.assert_array_equal(part["own_backs"], seen["own_backs"])
        np.testing.assert_array_equal(
            part["place_of_seat"][: num_players - 1], [order.index(k) - 1 for k in range(1, num_players)]
        )


def test_features_written_by_several_threads_are_the_same() -> None:
    engine = Engine(num_games=1024, num_players=3, num_threads=4, seed=1)
    observations, features = engine.observe(LAYOUT), Features(LAYOUT)
    np.testing.assert_array_equal(features(observations, engine.run), features(observations))


def test_features_refuse_observations_of_another_layout() -> None:
    with pytest.raises(ValueError, match=r"shape \(3, 7\), expected uint8 of shape \(batch, 772\)"):
        Features(LAYOUT)(np.zeros((3, 7), np.uint8))


def permuted(observations: np.ndarray, colors: np.ndarray, backs: np.ndarray) -> np.ndarray:
    """The same positions with the colours of the side in play, and those of the other side, renamed."""
    out = observations.copy()
    old, new = LAYOUT.view(observations), LAYOUT.view(out)
    front_face, back_face = new_faces(colors), new_faces(backs)
    slots = new_slots(front_face)
    new["own_hand"][:, slots] = old["own_hand"]
    for name in ("own_backs", "seen_backs"):
        new[name][:, slots] = np.append(0, 1 + back_face)[old[name]]
    new["cut_face"][:] = np.append(0, 1 + front_face)[old["cut_face"]]
    for name in ("flip_face", "draw_back"):
        new[name][:] = np.append(0, 1 + back_face)[old[name]]
    new["other_backs"][:, :, back_face] = old["other_backs"]
    new["other_known"][:, :, front_face] = old["other_known"]
    new["discards"][:, front_face] = old["discards"]
    new["top_face"][:] = front_face[old["top_face"]]
    new["drawn_slot"][:] = np.append(0, 1 + slots)[old["drawn_slot"]]
    for name in ("color", "challenged_color"):
        new[name][:] = np.append(colors, NUM_COLORS)[old[name]]
    return out


def new_faces(colors: np.ndarray) -> np.ndarray:
    faces = np.arange(NUM_FACES)
    colored = faces[:NUM_COLORED]
    return np.append(colors[colored // COLOR_FACES] * COLOR_FACES + colored % COLOR_FACES, faces[NUM_COLORED:])


def new_slots(faces: np.ndarray) -> np.ndarray:
    copy = np.arange(NUM_CARDS) - np.searchsorted(SLOT_FACE, SLOT_FACE)
    return np.searchsorted(SLOT_FACE, faces[SLOT_FACE]) + copy


def test_renamed_colors_are_the_same_position_to_the_network() -> None:
    colors, backs = np.array([2, 0, 3, 1]), np.array([1, 3, 0, 2])
    observations, _ = all_positions(4)
    net, features = network(), Features(LAYOUT)
    with torch.no_grad():
        logits, values = net(torch.from_numpy(features(observations)))
        new_logits, new_values = net(torch.from_numpy(features(permuted(observations, colors, backs))))
    actions = np.arange(NUM_ACTIONS)
    actions[:NUM_CARDS] = new_slots(new_faces(colors))
    actions[COLOR : COLOR + NUM_COLORS] = COLOR + colors
    torch.testing.assert_close(new_logits[:, actions], logits, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(new_values, values, rtol=1e-4, atol=1e-4)
    assert (logits[:, COLOR : COLOR + NUM_COLORS].std(dim=1) > 0).any()


def test_copies_of_a_face_differ_by_their_backs_alone() -> None:
    observation = np.zeros((1, LAYOUT.size), np.uint8)
    seen = LAYOUT.view(observation)
    seen["own_hand"][0, :4], seen["num_seats"][:] = 1, 2
    seen["own_backs"][0, :4] = [1 + 7, 1 + 30, 1 + 7, 1 + 7]
    with torch.no_grad():
        scores = network()(torch.from_numpy(Features(LAYOUT)(observation)))[0][0]
    assert scores[0] != scores[1]
    assert scores[2] == scores[3]


def test_masked_scores_give_what_is_not_legal_no_probability() -> None:
    legal_mask = torch.zeros(1, NUM_ACTIONS, dtype=torch.bool)
    legal_mask[0, [3, 50]] = True
    probabilities = masked(torch.randn(1, NUM_ACTIONS, generator=torch.Generator().manual_seed(0)), legal_mask).softmax(1)
    assert probabilities[~legal_mask].sum() == 0
    assert probabilities[legal_mask].sum() == pytest.approx(1)


def test_samples_follow_the_probabilities() -> None:
    logits = np.full((1, 6), -1e9, np.float32)
    logits[0, [1, 2, 4]] = np.log([0.2, 0.5, 0.3])
    uniforms = (np.arange(1000) + 0.5) / 1000
    counts = np.bincount(sample(logits.repeat(1000, axis=0), uniforms), minlength=6)
    np.testing.assert_allclose(counts, [0, 200, 500, 0, 300, 0], atol=1)


@pytest.mark.parametrize("uniform", [0.0, np.nextafter(1.0, 0.0)])
def test_samples_are_legal_at_the_ends(uniform: float) -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(500, NUM_ACTIONS)).astype(np.float32) * 20
    legal_mask = rng.random(logits.shape) < 0.1
    logits[~legal_mask] = -1e9
    actions = sample(logits, np.full(500, uniform))
    assert legal_mask[np.arange(500), actions].all()


def test_scores_that_are_no_numbers_give_no_action() -> None:
    logits = np.full((2, NUM_ACTIONS), -1e9, np.float32)
    logits[0, 3], logits[1, 5] = np.nan, 1.0
    assert sample(logits, np.full(2, 0.5)).tolist() == [UNDRAWN, 5]


def mlp() -> MLPNetwork:
    torch.manual_seed(0)
    return MLPNetwork(Features(LAYOUT), 16)


@pytest.mark.parametrize("made", [network(), mlp()], ids=["cards", "mlp"])
@pytest.mark.parametrize("is_sampling", [False, True])
@pytest.mark.parametrize("rules", ["official", "casual", "classic", "berserker", Rules(skip_role="give")], ids=str)
def test_the_agent_chooses_legal_actions_row_by_row(made: Network, is_sampling: bool, rules: Rules | str) -> None:
    agent = NetworkAgent("net", made, is_sampling=is_sampling)
    assert isinstance(agent, Agent)
    observations, legal_mask = all_positions(3, rules)
    uniforms = np.random.default_rng(1).random(len(observations))
    actions = agent.act(observations, legal_mask, uniforms)
    assert actions.dtype == np.int64
    assert legal_mask[np.arange(len(actions)), actions].all()
    alone = [agent.act(observations[i : i + 1], legal_mask[i : i + 1], uniforms[i : i + 1])[0] for i in range(0, 960, 7)]
    # Sums of floats depend on the size of the batch in their last digits.
    assert (np.array(alone) == actions[:960:7]).mean() > 0.98


def test_the_agent_tells_the_probabilities_that_it_draws_from_and_its_values() -> None:
    agent = NetworkAgent("net", network())
    assert isinstance(agent, Evaluator)
    observations, legal_mask = all_positions(3)
    probabilities, values = agent.evaluate(observations, legal_mask)
    assert (probabilities[~legal_mask] == 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), agent.act(observations, legal_mask, np.zeros(len(values))))
    with torch.no_grad():
        np.testing.assert_allclose(values, agent.network(torch.from_numpy(Features(LAYOUT)(observations)))[1], rtol=1e-5)


def test_values_that_were_not_trained_are_not_told() -> None:
    agent = NetworkAgent("net", network(), has_value=False)
    probabilities, values = agent.evaluate(*next(positions(3)))
    assert np.isnan(values).all()
    assert not np.isnan(probabilities).any()


def test_agents_of_fewer_seats_and_less_information_read_their_own_layout() -> None:
    layout = ObservationLayout(2, "fronts")
    agent = NetworkAgent("net", CardNetwork(Features(layout), 8, 16))
    engine = Engine(Rules(information="fronts"), 8)
    legal_mask = engine.legal_mask()
    actions = agent.act(engine.observe(layout), legal_mask, np.zeros(8))
    assert legal_mask[np.arange(8), actions].all()


def test_an_open_critic_sees_what_the_policy_does_not() -> None:
    """A re-deal of all that a seat does not know changes nothing for the table's layout, and the open critic's value."""
    engine, critic = Engine(num_games=1, num_players=3), CardCritic(Features(observation_layout(3, "open")), 8, 16)
    other = Engine(num_games=1, num_players=3)
    other.games[0] = engine.determinize(0, int(engine.actor[0]), seed=1)
    np.testing.assert_array_equal(engine.observe(), other.observe())
    with torch.no_grad():
        values = [critic(torch.from_numpy(critic.features(e.observe(critic.features.layout)))) for e in (engine, other)]
    assert values[0].shape == (1,)
    assert values[0] != values[1]
