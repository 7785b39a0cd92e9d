"""Proximal policy optimisation (Schulman et al. 2017) with masked actions and generalised advantages (2016)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from agents.network import PolicyValueNetwork, masked, sample
from train.config import PPOConfig
from train.rollout import PENDING, TERMINAL, Decisions, Experience
from unoflip_env.kernels.jit import kernel


def advantages(experience: Experience, gamma: float, gae_lambda: float) -> np.ndarray:
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
    """See advantages. A successor comes later, so going backwards finds it done."""
    for row in range(next_row.size - 1, -1, -1):
        after = next_row[row]
        if after == TERMINAL:
            out[row] = rewards[row] - values[row]
        elif after != PENDING:
            out[row] = rewards[row] + gamma * values[after] - values[row] + gamma * gae_lambda * out[after]


def act(network: PolicyValueNetwork, features: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> Decisions:
    """Sampled actions, with the logarithms of their probabilities, and values."""
    with torch.inference_mode():
        logits, values = network(torch.from_numpy(features))
        log_probs = masked(logits, torch.from_numpy(legal_mask)).log_softmax(1).numpy()
    actions = sample(log_probs, uniforms)
    return actions, log_probs[np.arange(actions.size), actions], values.numpy()


@dataclass
class Batch:
    """Rows to learn from, as tensors."""

    features: Tensor
    legal_mask: Tensor
    actions: Tensor
    log_probs: Tensor
    advantages: Tensor
    returns: Tensor

    def __getitem__(self, rows: Tensor) -> Batch:
        return Batch(*(column[rows] for column in vars(self).values()))


def make_batch(experience: Experience, config: PPOConfig) -> Batch:
    """The complete rows, with their advantages (of mean 0 and deviation 1) and returns."""
    rows = experience.complete
    gains = advantages(experience, config.gamma, config.gae_lambda)[rows]
    scaled = (gains - gains.mean()) / (gains.std() + 1e-8)
    return Batch(
        features=torch.from_numpy(experience.features[rows]),
        legal_mask=torch.from_numpy(experience.legal_mask[rows]),
        actions=torch.from_numpy(experience.actions[rows]),
        log_probs=torch.from_numpy(experience.log_probs[rows]),
        advantages=torch.from_numpy(scaled),
        returns=torch.from_numpy(gains + experience.values[rows]),
    )


def ppo_loss(
    network: PolicyValueNetwork, batch: Batch, config: PPOConfig, entropy_weight: float
) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss of a minibatch, and figures about it: policy and value loss, entropy, KL divergence, share clipped."""
    logits, values = network(batch.features)
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


def update(
    network: PolicyValueNetwork,
    optimizer: torch.optim.Optimizer,
    experience: Experience,
    config: PPOConfig,
    left: float,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Learn from the complete rows. `left` is the share of the budget that is left, 1 to 0. Returns mean figures."""
    batch = make_batch(experience, config)
    num_rows = len(batch.actions)
    for group in optimizer.param_groups:
        group["lr"] = config.learning_rate * left
    figures = []
    for _ in range(config.num_epochs):
        order = torch.from_numpy(rng.permutation(num_rows))
        for rows in order.chunk(max(1, round(num_rows / config.minibatch_size))):
            loss, found = ppo_loss(network, batch[rows], config, config.entropy_weight * left)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), config.max_gradient)
            optimizer.step()
            figures.append(found)
    means = {name: float(torch.stack([found[name] for found in figures]).mean()) for name in figures[0]}
    residual = batch.returns - torch.from_numpy(experience.values[experience.complete])
    means["value/explained_variance"] = float(1 - residual.var() / batch.returns.var())
    return means


def initialise(network: nn.Module, generator: torch.Generator) -> None:
    """Orthogonal weights; the layers that give scores and values begin near 0 (Engstrom et al. 2020)."""
    for name, layer in network.named_modules():
        if isinstance(layer, nn.Linear):
            is_output = name == "value" or name.rsplit(".")[-1].startswith("score")
            nn.init.orthogonal_(layer.weight, 0.01 if is_output else 2**0.5, generator=generator)
            nn.init.zeros_(layer.bias) if layer.bias is not None else None
