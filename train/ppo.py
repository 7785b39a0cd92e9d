"""Proximal policy optimisation (Schulman et al. 2017) with masked actions and generalised advantages (2016)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from agents.network import CardCritic, Network, masked
from agents.sampling import sample
from train.config import ConfigError, PPOConfig
from train.rollout import PENDING, TERMINAL, Decisions, Experience
from train.world import World
from unoflip_env.kernels.jit import kernel


class Learner(nn.Module):
    """Policy and value: the network that will be the agent and, if the critic is another one, the critic."""

    def __init__(self, network: Network, critic: CardCritic | None = None) -> None:
        super().__init__()
        self.network, self.critic = network, critic
        network.value.requires_grad_(critic is None)

    def forward(self, features: Tensor, critic_features: Tensor) -> tuple[Tensor, Tensor]:
        """Scores of all actions, shape (batch, NUM_ACTIONS), and values, shape (batch,)."""
        logits, values = self.network(features)
        return logits, values if self.critic is None else self.critic(critic_features)

    @property
    def device(self) -> torch.device:
        """Where it is."""
        return self.network.value.weight.device


def gae(experience: Experience, gamma: float, gae_lambda: float) -> np.ndarray:
    """Generalised advantage of every row, shape (size,) float32; 0 for pending rows.

    Each seat's decisions are a chain of their own, linked by `next_row`; a chain that isn't finished is cut at its pending
    row, whose value stands for all that may follow.
    """
    size = experience.size
    out = np.zeros(size, np.float32)
    write_advantages(experience.values, experience.rewards, experience.next_row[:size], gamma, gae_lambda, out)
    return out


@kernel
def write_advantages(values, rewards, next_row, gamma, gae_lambda, out):
    """See gae. A successor comes later, so going backwards finds it done."""
    for row in range(next_row.size - 1, -1, -1):
        after = next_row[row]
        if after == TERMINAL:
            out[row] = rewards[row] - values[row]
        elif after != PENDING:
            out[row] = rewards[row] + gamma * values[after] - values[row] + gamma * gae_lambda * out[after]


def act(
    learner: Learner,
    features: np.ndarray,
    critic_features: np.ndarray,
    legal_mask: np.ndarray,
    uniforms: np.ndarray,
) -> Decisions:
    """Sampled actions, with the logarithms of their probabilities, and values.

    Raises ConfigError where these are no numbers: the learning has gone wrong for good.
    """
    seen = torch.from_numpy(features).to(learner.device)
    seen_by_critic = torch.from_numpy(critic_features).to(learner.device)
    with torch.inference_mode():
        logits, values = learner(seen, seen_by_critic)
        log_probs = masked(logits, torch.from_numpy(legal_mask).to(learner.device)).log_softmax(1).cpu().numpy()
    actions = sample(log_probs, uniforms)
    chosen, expected = log_probs[np.arange(actions.size), actions], values.cpu().numpy()
    if not (np.isfinite(chosen).all() and np.isfinite(expected).all()):
        raise ConfigError("the network's scores are no numbers any more, training has diverged: lower ppo.learning_rate")
    return actions, chosen, expected


@dataclass
class Batch:
    """Rows to learn from, as tensors."""

    features: Tensor
    critic_features: Tensor
    legal_mask: Tensor
    actions: Tensor
    log_probs: Tensor
    advantages: Tensor
    returns: Tensor

    def __getitem__(self, rows: Tensor) -> Batch:
        return Batch(*(column[rows] for column in vars(self).values()))


def scaled(gains: np.ndarray, world: World) -> np.ndarray:
    """Of mean 0 and deviation 1 over all processes."""
    number, total = world.sum(np.array([gains.size, gains.sum(dtype=np.float64)]))
    apart = gains - total / number
    return (apart / (np.sqrt(world.sum(np.square(apart).sum()) / number) + 1e-8)).astype(np.float32)


def make_batch(
    experience: Experience,
    config: PPOConfig,
    device: torch.device,
    world: World = World(),  # noqa: B008 (frozen)
) -> Batch:
    """The complete rows, with their advantages (of mean 0 and deviation 1) and returns."""
    rows = experience.complete
    gains = gae(experience, config.gamma, config.gae_lambda)[rows]
    names = ("features", "critic_features", "legal_mask", "actions", "log_probs")
    columns = {name: experience.columns[name][rows] for name in names}
    columns |= {"advantages": scaled(gains, world), "returns": gains + experience.values[rows]}
    return Batch(**{name: torch.from_numpy(column).to(device) for name, column in columns.items()})


def ppo_loss(learner: nn.Module, batch: Batch, config: PPOConfig, entropy_weight: float) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss of a minibatch, and figures about it: policy and value loss, entropy, KL divergence, share clipped."""
    logits, values = learner(batch.features, batch.critic_features)
    log_probs = masked(logits, batch.legal_mask).log_softmax(1)
    log_ratio = log_probs.gather(1, batch.actions[:, None]).squeeze(1) - batch.log_probs
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
    policy_loss = -torch.minimum(ratio * batch.advantages, clipped * batch.advantages).mean()
    value_loss = (values - batch.returns).square().mean()
    entropy = -(log_probs.exp() * log_probs).sum(1).mean()
    loss = policy_loss + config.value_weight * value_loss - entropy_weight * entropy
    figures = {
        "loss/policy": policy_loss,
        "loss/value": value_loss,
        "policy/entropy": entropy,
        "policy/kl": (ratio - 1 - log_ratio).mean(),  # Schulman 2020, "Approximating KL divergence": k3
        "policy/clipped": (ratio != clipped).float().mean(),
    }
    return loss, {name: value.detach() for name, value in figures.items()}


def step(optimizer: torch.optim.Optimizer, loss: Tensor, max_gradient: float) -> None:
    """One step down the gradient, which is cut to a length of `max_gradient`."""
    optimizer.zero_grad()
    loss.backward()
    for group in optimizer.param_groups:
        nn.utils.clip_grad_norm_(group["params"], max_gradient)
    optimizer.step()


def update(
    learner: nn.Module,
    optimizer: torch.optim.Optimizer,
    batch: Batch,
    config: PPOConfig,
    left: float,
    rng: np.random.Generator,
    world: World = World(),  # noqa: B008 (frozen)
) -> dict[str, float]:
    """Learn from a batch. `left` is the share of the budget that is left, 1 to 0. Returns mean figures over all processes.

    There has to be a row in each process. Where there are several, `learner` is to average their gradients
    (DistributedDataParallel); all take as many steps.
    """
    num_rows = len(batch.actions)
    mean_rows = float(world.sum(np.array(num_rows))) / world.size
    num_steps = min(max(1, round(mean_rows / config.minibatch_size)), world.least(num_rows))
    for group in optimizer.param_groups:
        group["lr"] = config.learning_rate * left
    figures = []
    for _ in range(config.num_epochs):
        order = torch.from_numpy(rng.permutation(num_rows)).to(batch.actions.device)
        for rows in order.tensor_split(num_steps):
            loss, found = ppo_loss(learner, batch[rows], config, config.entropy_weight * left)
            step(optimizer, loss, config.max_gradient)
            figures.append(found)
    means = world.sum(torch.stack([torch.stack([*found.values()]) for found in figures]).mean(0).cpu().numpy()) / world.size
    return dict(zip(figures[0], means.tolist(), strict=True))


def explained_variance(experience: Experience, batch: Batch) -> float:
    """How much of the spread of the returns the values foresaw: 1 all of it, 0 none; not a number where there is no spread."""
    returns = batch.returns.cpu().numpy()
    spread = returns.var()
    return float(1 - (returns - experience.values[experience.complete]).var() / spread) if spread else float("nan")


def initialise(network: nn.Module, generator: torch.Generator) -> None:
    """Orthogonal weights; the layers that give scores and values begin near 0 (Engstrom et al. 2020)."""
    for name, layer in network.named_modules():
        if isinstance(layer, nn.Linear):
            last = name.rsplit(".")[-1]
            is_output = last == "value" or last.startswith("score")
            nn.init.orthogonal_(layer.weight, 0.01 if is_output else 2**0.5, generator=generator)
            nn.init.zeros_(layer.bias) if layer.bias is not None else None
