"""Policy and value networks: they score every action and estimate the reward to come.

`CardNetwork` knows what a card is. The four colours of a side are alike: rename them throughout and it is the same
position. So one small network reads each colour in turn with the same weights, a trunk reads their sums, and the cards of
each colour are scored with the same weights again (Zaheer et al. 2017, "Deep Sets"): what is learned about red is known
about blue. A held slot's score is a score of its front plus a score of its back, so that copies of a face that differ in
their backs are told apart. `MLPNetwork` reads the same numbers and knows nothing of cards, to compare with.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from agents.features import COLOR_FACES, IS_IN_PLAY, IS_NEXT_BY_FLIP, NUM_BACK_FLAGS, NUM_FLAGS, NUM_WILDS, Features
from agents.sampling import sample
from unoflip_env.actions import AGREE, DRAW_CARD, NUM_ACTIONS, SEAT
from unoflip_env.deck import FACE_COPIES, NUM_COLORS, NUM_FACES

NUM_GESTURES = SEAT - DRAW_CARD  # actions between the colours and the seats
NUM_VOTES = NUM_ACTIONS - AGREE  # the votes and proposals, after the seats
NUM_COPIES, NUM_WILD_COPIES = int(FACE_COPIES[0]), int(FACE_COPIES[-1])
ILLEGAL = -1e9  # in place of the score of an action that is not legal


class CardTrunk(nn.Module):
    """Reads each colour with the same weights, and brings all together.

    Args:
        features: what it reads.
        color_width: units for each colour of either side.
        trunk_width: units of each of the two layers of the trunk.
    """

    table_scales: Tensor

    def __init__(self, features: Features, color_width: int, trunk_width: int) -> None:
        super().__init__()
        self.features = features
        self.sizes = {"color_width": color_width, "trunk_width": trunk_width}
        sizes = features.sizes
        self.read_front = nn.Linear(sizes["front_colors"] // NUM_COLORS, color_width)
        self.read_back = nn.Linear(sizes["back_colors"] // NUM_COLORS, color_width)
        num_inputs = 4 * color_width + sizes["front_wilds"] + sizes["back_wilds"] + sizes["table"]
        self.trunk = nn.Sequential(
            nn.Linear(num_inputs, trunk_width), nn.ReLU(), nn.Linear(trunk_width, trunk_width), nn.ReLU()
        )
        self.register_buffer("table_scales", torch.from_numpy(features.table_scales), persistent=False)

    def read(self, parts: dict[str, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """Units of each colour, fronts and backs, shape (batch, NUM_COLORS, color_width), and of the trunk."""
        front_inputs = parts["front_colors"].unflatten(1, (NUM_COLORS, -1)).float()
        back_inputs = parts["back_colors"].unflatten(1, (NUM_COLORS, -1)).float()
        fronts = torch.relu(self.read_front(front_inputs))
        backs = torch.relu(self.read_back(back_inputs))
        is_in_play = front_inputs[:, :, IS_IN_PLAY - NUM_FLAGS, None]
        is_next_by_flip = back_inputs[:, :, IS_NEXT_BY_FLIP - NUM_BACK_FLAGS, None]
        sums = [fronts.sum(1), backs.sum(1), (fronts * is_in_play).sum(1), (backs * is_next_by_flip).sum(1)]
        wilds = [parts["front_wilds"].float(), parts["back_wilds"].float()]
        return fronts, backs, self.trunk(torch.cat([*sums, *wilds, parts["table"].float() * self.table_scales], 1))

    def parts(self, features: Tensor) -> dict[str, Tensor]:
        """The features by name."""
        return {name: features[:, where] for name, where in self.features.slices.items()}


class CardNetwork(CardTrunk):
    """Scores cards by what they are: see the top of this file."""

    kind = "cards"

    def __init__(self, features: Features, color_width: int = 64, trunk_width: int = 256) -> None:
        super().__init__(features, color_width, trunk_width)
        self.score_front = ColorHead(color_width, trunk_width, COLOR_FACES + 1)  # a colour's faces, and naming it
        self.score_back = ColorHead(color_width, trunk_width, COLOR_FACES)
        self._rest = [NUM_WILDS, NUM_WILDS, NUM_GESTURES, NUM_VOTES, features.sizes["place_of_seat"]]
        self.score_rest = nn.Linear(trunk_width, sum(self._rest))
        self.value = nn.Linear(trunk_width, 1)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Scores (logits) of all actions, shape (batch, NUM_ACTIONS), and values, shape (batch,).

        `features` has shape (batch, features.size), uint8. Mask the scores with `masked` before use.
        """
        parts = self.parts(features)
        fronts, backs, trunk = self.read(parts)
        return self._score(fronts, backs, trunk, parts), self.value(trunk).squeeze(1)

    def _score(self, fronts: Tensor, backs: Tensor, trunk: Tensor, parts: dict[str, Tensor]) -> Tensor:
        """Scores of all actions, put together in the order of the action table."""
        by_color = self.score_front(fronts, trunk)
        front_wilds, back_wilds, gestures, votes, others = self.score_rest(trunk).split(self._rest, 1)
        colored = by_color[:, :, :COLOR_FACES].flatten(1)
        fronts_of_slots = torch.cat([copies(colored, NUM_COPIES), copies(front_wilds, NUM_WILD_COPIES)], 1)
        nothing = trunk.new_zeros(len(trunk), 1)  # slots that hold nothing, or whose back is not known
        back_scores = torch.cat([nothing, self.score_back(backs, trunk).flatten(1), back_wilds], 1)
        slots = fronts_of_slots + back_scores.gather(1, parts["own_backs"].long())
        seats = others.gather(1, parts["place_of_seat"].long())
        empty = trunk.new_zeros(len(trunk), AGREE - SEAT - seats.shape[1])
        return torch.cat([slots, by_color[:, :, COLOR_FACES], gestures, seats, empty, votes], 1)


class CardCritic(CardTrunk):
    """The value alone, shape (batch,): for a critic that sees more than the policy does."""

    def __init__(self, features: Features, color_width: int = 64, trunk_width: int = 256) -> None:
        super().__init__(features, color_width, trunk_width)
        self.value = nn.Linear(trunk_width, 1)

    def forward(self, features: Tensor) -> Tensor:
        """From features of shape (batch, features.size), uint8."""
        return self.value(self.read(self.parts(features))[2]).squeeze(1)


class ColorHead(nn.Module):
    """Scores for each colour from its own units and the trunk, with the same weights for all colours."""

    def __init__(self, color_width: int, trunk_width: int, num_scores: int) -> None:
        super().__init__()
        self.from_color = nn.Linear(color_width, color_width)
        self.from_trunk = nn.Linear(trunk_width, color_width, bias=False)
        self.score = nn.Linear(color_width, num_scores)

    def forward(self, colors: Tensor, trunk: Tensor) -> Tensor:
        """Shape (batch, NUM_COLORS, num_scores)."""
        return self.score(torch.relu(self.from_color(colors) + self.from_trunk(trunk)[:, None]))


class MLPNetwork(nn.Module):
    """Two plain layers over all features, each a number like any other."""

    kind = "mlp"
    scales: Tensor

    def __init__(self, features: Features, trunk_width: int = 256) -> None:
        super().__init__()
        self.features = features
        self.sizes = {"trunk_width": trunk_width}
        self.trunk = nn.Sequential(
            nn.Linear(features.size, trunk_width), nn.ReLU(), nn.Linear(trunk_width, trunk_width), nn.ReLU()
        )
        self.score = nn.Linear(trunk_width, NUM_ACTIONS)
        self.value = nn.Linear(trunk_width, 1)
        scales = torch.ones(features.size)
        scales[features.slices["table"]] = torch.from_numpy(features.table_scales)
        scales[features.slices["own_backs"]] = 1 / NUM_FACES
        self.register_buffer("scales", scales, persistent=False)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """As CardNetwork.forward."""
        trunk = self.trunk(features.float() * self.scales)
        return self.score(trunk), self.value(trunk).squeeze(1)


Network = CardNetwork | MLPNetwork

NETWORKS: dict[str, type[Network]] = {"cards": CardNetwork, "mlp": MLPNetwork}
"""The kinds of network by name."""


def copies(scores: Tensor, num_copies: int) -> Tensor:
    """Each face's score once for each of its slots."""
    return scores[:, :, None].expand(-1, -1, num_copies).flatten(1)


def masked(logits: Tensor, legal_mask: Tensor) -> Tensor:
    """The scores with those of actions that are not legal out of reach, so that softmax gives them exactly 0."""
    return logits.masked_fill(~legal_mask, ILLEGAL)


class NetworkAgent:
    """A network as an agent (agents.protocol.Agent) that tells what it thinks (agents.protocol.Evaluator).

    It runs on whichever device the network is.

    Args:
        name: what results call it.
        network: the policy.
        is_sampling: draw actions by their probabilities; otherwise take the most probable.
        has_value: whether the network's values were trained; they are not where a critic of its own gave them.
    """

    def __init__(self, name: str, network: Network, *, is_sampling: bool = False, has_value: bool = True) -> None:
        self.name = name
        self.network = network.eval()
        self.layout = network.features.layout
        self.is_sampling, self.has_value = is_sampling, has_value

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        """Actions of shape (batch,) int64; see Agent."""
        logits = self._score(observations, legal_mask)[0].cpu().numpy()
        return sample(logits, uniforms) if self.is_sampling else logits.argmax(axis=1)

    def evaluate(self, observations: np.ndarray, legal_mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities and values; see Evaluator."""
        logits, values = self._score(observations, legal_mask)
        if not self.has_value:
            values = torch.full_like(values, torch.nan)
        return logits.softmax(dim=1).cpu().numpy(), values.cpu().numpy()

    def _score(self, observations: np.ndarray, legal_mask: np.ndarray) -> tuple[Tensor, Tensor]:
        """Masked scores, shape (batch, NUM_ACTIONS), and values, shape (batch,)."""
        device = self.network.value.weight.device
        features = torch.from_numpy(self.network.features(observations)).to(device)
        with torch.inference_mode():
            logits, values = self.network(features)
            return masked(logits, torch.from_numpy(legal_mask).to(device)), values
