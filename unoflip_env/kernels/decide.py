"""One decision, and all that follows from it until the next one."""

from __future__ import annotations

import numpy as np

from unoflip_env import actions
from unoflip_env.game import NO_CARD
from unoflip_env.kernels.effects import accept, challenge, choose_receiver, dump, give, swap, take_effect
from unoflip_env.kernels.jit import part_of_kernel
from unoflip_env.kernels.legal import (
    CUT,
    DRAWN,
    DUMP,
    GIFT,
    GIVE_SEAT,
    NAME_COLOR,
    PLAY,
    RESPOND,
    SECOND,
    SWAP,
    UNO_WINDOW,
    is_penalized,
)
from unoflip_env.kernels.plays import (
    accept_gift,
    ask_next_cutter,
    cut_in,
    draw_from_pile,
    draw_instead,
    land_cut,
    play_card,
    play_second,
    settle_color,
    stack_card,
    take_back,
    use_drawn_card,
)
from unoflip_env.kernels.turns import (
    THEN_CUT,
    THEN_DRAWN,
    THEN_EFFECT,
    THEN_LAND,
    THEN_NEXT,
    THEN_PLAY,
    ask,
    end_turn,
    open_window_if_silent,
    pass_on,
    say_uno,
    speak,
)


@part_of_kernel
def answer_on_turn(g, r, action):
    """On a seat's turn, or with a card just drawn."""
    is_refused = is_penalized(g, r, action)
    g.drawn_card = NO_CARD
    if is_refused:
        return take_back(g, r, action)
    if action == actions.DRAW_CARD:
        return draw_instead(g, r)
    if action == actions.KEEP:
        return pass_on(g)
    return play_card(g, r, action)


@part_of_kernel
def answer_about_card(g, r, action):
    """The decisions about playing a card: on turn, a stack, a second card, a cut."""
    phase = g.phase
    if action == actions.SAY_UNO:
        return say_uno(g, np.int64(g.actor))  # UNO-2: the decision comes again
    if phase == PLAY or phase == DRAWN:
        return answer_on_turn(g, r, action)
    if phase == RESPOND:
        if action == actions.ACCEPT:
            return accept(g, r, np.int64(g.actor))
        return challenge(g, r, np.int64(g.actor)) if action == actions.CHALLENGE else stack_card(g, action)
    if phase == SECOND:
        return settle_color(g) if action == actions.DECLINE else play_second(g, action)
    return ask_next_cutter(g, r) if action == actions.DECLINE else cut_in(g, r, action)


@part_of_kernel
def answer(g, r, action):
    """Carry out a decision itself; returns what follows (Then)."""
    phase = g.phase
    if phase == PLAY or phase == DRAWN or phase == RESPOND or phase == SECOND or phase == CUT:
        return answer_about_card(g, r, action)
    if phase == NAME_COLOR:
        g.color = action - actions.COLOR
        return np.int64(g.then)
    if phase == UNO_WINDOW:
        return speak(g, r, action)
    if phase == GIVE_SEAT:
        return choose_receiver(g, action)
    if phase == SWAP:
        return swap(g, action)
    if phase == DUMP:
        return dump(g, r, action - actions.COLOR)
    if phase == GIFT:
        return draw_from_pile(g, r) if action == actions.DECLINE else accept_gift(g, r, action)
    return give(g, r, action)


@part_of_kernel
def decide(g, r, action):
    """DBL-5: a decision, a cutter's card, the UNO window, the effect, the next turn: until somebody is asked."""
    then = answer(g, r, action)
    if then == THEN_CUT:
        then = land_cut(g)
    if then == THEN_LAND:
        then = open_window_if_silent(g, r, np.int64(g.turn_seat), THEN_EFFECT)
    if then == THEN_EFFECT:
        then = take_effect(g, r)
    if then == THEN_DRAWN:
        then = use_drawn_card(g)
    if then == THEN_PLAY:
        ask(g, PLAY, np.int64(g.turn_seat))
    elif then == THEN_NEXT:
        end_turn(g, r)
