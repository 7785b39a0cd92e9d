"""`python -m agents.external.serve AGENT`: any agent as a program that speaks the protocol of docs/bots.md.

It is what `process:AGENT` runs, and an example of the other end of the protocol.
"""

from __future__ import annotations

import json
import os
import sys

import numpy as np

from agents.external.messages import PROTOCOL
from agents.protocol import ask
from agents.registry import make_agent
from unoflip_env.actions import NUM_ACTIONS


def serve(spec: str) -> None:
    """Greet, then answer each decision until the input ends. Raises AgentError for a spec that names no agent."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1, encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what the agent prints is not part of the protocol
    hello = json.loads(sys.stdin.readline())
    agent = make_agent(spec, hello["max_players"], hello["information"])
    layout = agent.layout
    own = {"max_players": layout.max_players, "information": layout.information}
    print(json.dumps({"protocol": PROTOCOL, "name": agent.name, **own}), file=answers)
    for line in sys.stdin:
        question = json.loads(line)
        values = [np.ravel(question["observation"][name]) for name in layout.fields]
        observation = np.concatenate(values).astype(np.uint8)
        legal_mask = np.zeros(NUM_ACTIONS, np.bool_)
        legal_mask[question["legal"]] = True
        action = ask(agent, observation[None], legal_mask[None], np.array([question["uniform"]]))[0]
        print(json.dumps({"id": question["id"], "action": int(action)}), file=answers)


if __name__ == "__main__":
    serve(sys.argv[1])
