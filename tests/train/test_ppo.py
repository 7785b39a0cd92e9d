import numpy as np
import pytest
import torch

from agents.features import Features
from agents.network import CardCritic, CardNetwork, masked
from train.config import PPOConfig
from train.ppo import Batch, Learner, act, explained_variance, initialise, make_batch, ppo_loss, scaled, update
from train.rollout import TERMINAL, Experience
from train.world import World
from unoflip_env.engine import Engine
from unoflip_env.observation import observation_layout

FEATURES = Features(observation_layout(2))
CONFIG = PPOConfig(clip=0.2, value_weight=0.5)


CPU = torch.device("cpu")


def learner() -> Learner:
    made = Learner(CardNetwork(FEATURES, 8, 16))
    initialise(made, torch.Generator().manual_seed(3))
    return made


def positions(num_rows: int = 64) -> tuple[np.ndarray, np.ndarray]:
    engine = Engine(num_games=num_rows, seed=1)
    return FEATURES(engine.observe()), engine.legal_mask()


def batch_for(made: Learner, shift: float, seed: int = 0) -> Batch:
    """Decisions whose probabilities have moved by up to `shift` (as logarithms) since they were made."""
    rng = np.random.default_rng(seed)
    features, legal_mask = positions()
    actions, log_probs, _ = act(made, features, features[:, :0], legal_mask, rng.random(64))
    old = log_probs + rng.uniform(-shift, shift, 64)
    gains, returns = rng.normal(size=(2, 64)).astype(np.float32)
    columns = (features, features[:, :0], legal_mask, actions, old.astype(np.float32), gains, returns)
    return Batch(*[torch.from_numpy(column) for column in columns])


def naive_loss(made: Learner, batch: Batch, entropy_weight: float) -> float:
    """Schulman et al. 2017, equation 9, row by row."""
    with torch.no_grad():
        logits, values = (out.double().numpy() for out in made(batch.features, batch.critic_features))
    total = 0.0
    for i in range(len(values)):
        legal = np.flatnonzero(batch.legal_mask[i].numpy())
        probabilities = np.exp(logits[i, legal]) / np.exp(logits[i, legal]).sum()
        ratio = probabilities[legal == int(batch.actions[i])][0] / np.exp(float(batch.log_probs[i]))
        gain = float(batch.advantages[i])
        surrogate = min(ratio * gain, min(max(ratio, 0.8), 1.2) * gain)
        entropy = -(probabilities * np.log(probabilities)).sum()
        total += -surrogate + 0.5 * (values[i] - float(batch.returns[i])) ** 2 - entropy_weight * entropy
    return total / len(values)


def test_the_loss_is_that_of_the_paper() -> None:
    made = learner()
    batch = batch_for(made, shift=0.5)
    loss, figures = ppo_loss(made, batch, CONFIG, entropy_weight=0.03)
    assert float(loss.detach()) == pytest.approx(naive_loss(made, batch, 0.03), rel=1e-4)
    assert 0.3 < figures["policy/clipped"] < 0.9
    assert figures["policy/kl"] > 0


def test_without_change_nothing_is_clipped_and_nothing_diverges() -> None:
    made = learner()
    _, figures = ppo_loss(made, batch_for(made, shift=0.0), CONFIG, 0.0)
    assert figures["policy/kl"] == pytest.approx(0, abs=1e-5)
    assert figures["policy/clipped"] == 0


def test_actions_come_with_their_probabilities() -> None:
    made = learner()
    features, legal_mask = positions()
    actions, log_probs, values = act(made, features, features[:, :0], legal_mask, np.random.default_rng(0).random(64))
    with torch.no_grad():
        logits, expected = made.network(torch.from_numpy(features))
    probabilities = masked(logits, torch.from_numpy(legal_mask)).softmax(1).numpy()[np.arange(64), actions]
    assert legal_mask[np.arange(64), actions].all()
    np.testing.assert_allclose(np.exp(log_probs), probabilities, rtol=1e-4)
    np.testing.assert_allclose(values, expected.numpy(), rtol=1e-4, atol=1e-5)


def bandit(made: Learner, seed: int) -> tuple[Experience, np.ndarray]:
    """Episodes of one decision, which pay 1 for the first legal action and -1 for any other."""
    features, legal_mask = positions(256)
    experience = Experience(256, FEATURES.size)
    actions, log_probs, values = act(made, features, features[:, :0], legal_mask, np.random.default_rng(seed).random(256))
    rows = experience.add(features=features, legal_mask=legal_mask, actions=actions, log_probs=log_probs, values=values)
    is_right = actions == legal_mask.argmax(axis=1)
    experience.rewards[rows] = np.where(is_right, 1.0, -1.0)
    experience.next_row[rows] = TERMINAL
    return experience, is_right


def test_advantages_are_scaled_over_all_processes() -> None:
    rng = np.random.default_rng(0)
    own, others = rng.normal(3, 5, 1000).astype(np.float32), rng.normal(-4, 1, 500)
    together = np.concatenate([own, others])
    answers = iter([[1500, together.sum()], np.square(together - together.mean()).sum()])

    class Two(World):
        def sum(self, values: np.ndarray) -> np.ndarray:
            return np.asarray(next(answers))

    np.testing.assert_allclose(scaled(own, World()), (own - own.mean()) / own.std(), atol=1e-5)
    np.testing.assert_allclose(scaled(own, Two()), (own - together.mean()) / together.std(), atol=1e-5)


def test_updates_make_rewarded_actions_likelier_and_learn_their_value() -> None:
    made = learner()
    optimizer = torch.optim.Adam(made.parameters())
    rng = np.random.default_rng(0)
    config = PPOConfig(learning_rate=3e-3, minibatch_size=64, entropy_weight=0.0, num_epochs=4)
    before = bandit(made, 0)[1].mean()
    for i in range(40):
        figures = update(made, optimizer, make_batch(bandit(made, i)[0], config, CPU), config, 1.0, rng)
    experience, is_right = bandit(made, 99)
    assert before < 0.6
    assert is_right.mean() > 0.85
    assert experience.values.mean() == pytest.approx(1.0, abs=0.25)
    assert set(figures) >= {"loss/policy", "loss/value", "policy/entropy", "policy/kl", "policy/clipped"}


def test_nothing_is_learned_at_the_end_of_the_budget() -> None:
    made = learner()
    before = [p.clone() for p in made.parameters()]
    batch = make_batch(bandit(made, 0)[0], CONFIG, CPU)
    update(made, torch.optim.Adam(made.parameters()), batch, CONFIG, 0.0, np.random.default_rng(0))
    assert all(torch.equal(a, b) for a, b in zip(before, made.parameters(), strict=True))


def test_the_first_policy_is_near_to_uniform_and_comes_from_the_seed() -> None:
    features, legal_mask = positions()
    with torch.no_grad():
        logits, values = learner().network(torch.from_numpy(features))
    probabilities = masked(logits, torch.from_numpy(legal_mask)).softmax(1)
    highest = probabilities.amax(1) * torch.from_numpy(legal_mask).sum(1)
    assert highest.max() < 1.3
    assert values.abs().max() < 0.2
    assert all(torch.equal(a, b) for a, b in zip(learner().parameters(), learner().parameters(), strict=True))


def test_an_update_is_one_clipped_adam_step_for_each_minibatch() -> None:
    """By hand: the gradient of the paper's loss, cut to its greatest length, through Adam (Kingma and Ba 2015) once."""
    made, by_hand = learner(), learner()
    config = PPOConfig(num_epochs=1, minibatch_size=64, max_gradient=0.01, learning_rate=1e-2, entropy_weight=0.03)
    batch = batch_for(made, shift=0.5)
    figures = update(made, torch.optim.Adam(made.parameters(), eps=1e-5), batch, config, 0.5, np.random.default_rng(0))
    loss, expected = ppo_loss(by_hand, batch, config, 0.015)
    loss.backward()
    gradients = [p.grad for p in by_hand.parameters() if p.grad is not None]
    length = torch.sqrt(sum((gradient.square().sum() for gradient in gradients), torch.zeros(())))
    assert length > config.max_gradient
    for parameter in by_hand.parameters():
        assert parameter.grad is not None
        gradient = parameter.grad * config.max_gradient / length
        # The first step: both moments, put right for their start, are the gradient and its square.
        parameter.data -= 0.5 * config.learning_rate * gradient / (gradient.abs() + 1e-5)
    for a, b in zip(made.parameters(), by_hand.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-6)
    for name, value in expected.items():
        assert figures[name] == pytest.approx(float(value), rel=1e-4, abs=1e-6)


def test_explained_variance_is_1_for_values_that_foresee_all_and_0_for_a_constant() -> None:
    experience, _ = bandit(learner(), 0)
    batch = make_batch(experience, PPOConfig(), CPU)
    returns = batch.returns.numpy()
    np.testing.assert_allclose(returns, experience.rewards[: experience.size], atol=1e-6)
    experience.values[: experience.size] = returns
    assert explained_variance(experience, batch) == pytest.approx(1.0)
    experience.values[: experience.size] = 0.3
    assert explained_variance(experience, batch) == pytest.approx(0.0, abs=1e-6)


def test_an_open_critic_gives_the_value_and_the_policy_s_own_learns_nothing() -> None:
    made = Learner(CardNetwork(FEATURES, 8, 16), CardCritic(Features(observation_layout(2, "open")), 8, 16))
    engine = Engine(num_games=8, seed=1)
    assert made.critic
    features = torch.from_numpy(FEATURES(engine.observe()))
    open_features = torch.from_numpy(made.critic.features(engine.observe(made.critic.features.layout)))
    logits, values = made(features, open_features)
    torch.testing.assert_close(values, made.critic(open_features))
    torch.testing.assert_close(logits, made.network(features)[0])
    (values.sum() + logits.sum()).backward()
    assert made.network.value.weight.grad is None
    assert all(p.grad is not None for p in made.critic.parameters())
