/* The rules of `official` in plain C.
 *
 * Rules that one preset fixes are constants here, where the engine asks which is in force. The rest is the engine's own
 * design: hands are sets of slots on both sides, piles keep their order, a Flip moves nothing. It draws its random numbers
 * as the engine does and so plays the very same games, decision by decision (check.py). The rules' identifiers are those of
 * docs/rules.md; what slots and actions mean is in unoflip_env/{deck,actions}.py.
 */
#include "cards.h"

/* ---- What is legal ---- */

static set held_slots(set hand) /* a face with m copies takes its first m places */
{
    static const byte filled[16] = {0, 1, 1, 3, 1, 3, 3, 7, 1, 3, 3, 7, 3, 7, 7, 15};
    set low = hand & even, high = hand >> 1 & even;
    uint64_t wilds = filled[(hand >> 104) & 15] | filled[(hand >> 108) & 15] << 4;
    return low | high | (low & high) << 1 | (set)wilds << 104;
}

static int held_slot(const game *g, int seat, int card)
{
    int slot = front(g, card), start = first_slot[slot];
    return start + size(g->hand[g->side][seat] & (bit(slot) - bit(start)));
}

static int held_card(const game *g, int seat, int slot)
{
    int start = first_slot[slot];
    set copies = g->hand[g->side][seat] >> start << start;
    for (int k = start; k < slot; k++)
        copies &= copies - 1;
    return card_of(g, lowest(copies));
}

static set matching(const game *g) { return matches[g->color][symbol[front(g, top_card(g))]]; }

static set legal_actions(const game *g)
{
    int seat = g->actor;
    set plays;
    switch (g->phase) {
    case COLOR:
        return (set)15 << ACT_COLOR;
    case RESPOND:
        return bit(ACT_ACCEPT) | bit(ACT_CHALLENGE);
    case UNO:
        return bit(ACT_DECLINE) | bit(seat == g->silent_seat ? ACT_SAY_UNO : ACT_CATCH);
    case PLAY:
        plays = held_slots(g->hand[g->side][seat]) & matching(g);
        break;
    default:
        plays = bit(held_slot(g, seat, g->drawn_card));
    }
    bool may_say_uno = plays && g->hand_size[seat] == 2 && !(g->said_uno >> seat & 1); /* UNO-2 */
    return plays | (may_say_uno ? bit(ACT_SAY_UNO) : 0) | bit(g->phase == PLAY ? ACT_DRAW : ACT_KEEP);
}

/* ---- Turns and rounds ---- */

static void ask(game *g, int phase, int seat)
{
    g->phase = phase;
    g->actor = seat;
}

static void end_round(game *g) /* END-1, TURN-7, SCORE-1 to SCORE-4 */
{
    int first = NOBODY, least = 1 << 30;
    for (int seat = 0; seat < g->num_seats; seat++) {
        g->points[seat] = 0;
        for (set hand = g->hand[g->side][seat]; hand; hand &= hand - 1)
            g->points[seat] += points[g->side][lowest(hand)];
        if (g->hand_size[seat] == 0 && (first == NOBODY || g->went_out[seat] < g->went_out[first]))
            first = seat;
        if (g->points[seat] < least)
            least = g->points[seat];
    }
    g->winners = first != NOBODY ? 1 << first : 0;
    for (int seat = 0; first == NOBODY && seat < g->num_seats; seat++)
        g->winners |= (g->points[seat] == least) << seat;
    g->is_over = true;
}

static void begin_turn(game *g, int seat)
{
    if (g->idle_turns >= g->num_seats && is_nothing_left(g)) {
        end_round(g);
        return;
    }
    g->idle_turns += g->idle_turns < 255;
    g->turn_seat = seat;
    g->challenged_color = NO_COLOR;
    g->is_guilty = g->pending_draws = g->pair_size = g->said_uno = 0;
    ask(g, PLAY, seat);
}

static void end_turn(game *g, int next_seat) /* END-1 to END-3 */
{
    for (int seat = 0; g->num_out > 0 && seat < g->num_seats; seat++)
        if (g->hand_size[seat] == 0) {
            end_round(g);
            return;
        }
    g->num_out = 0;
    begin_turn(g, next_seat);
}

static void pass_on(game *g) { end_turn(g, seat_after(g, g->turn_seat)); }

static void flip(game *g) /* FLIP-2, FLIP-3, INFO-2 */
{
    g->side = !g->side;
    for (int side = 0; side < 2; side++) {
        set held = all_held(g, side);
        for (int seat = 0; seat < g->num_seats; seat++)
            g->known[side][seat] = held;
    }
    g->color = color_of[front(g, top_card(g))];
    if (g->color != NO_COLOR) {
        pass_on(g);
        return;
    }
    g->next_seat = seat_after(g, g->turn_seat);
    g->is_named_at_end = true;
    ask(g, COLOR, g->turn_seat);
}

static void take_effect(game *g)
{
    int seat = g->turn_seat, kind = symbol[front(g, top_card(g))], next = seat_after(g, seat);
    switch (kind) {
    case DRAW:
        g->pending_draws = draws[g->side][DRAW];
        draw_what_it_says(g, next);
        end_turn(g, seat_after(g, next));
        break;
    case WILD_DRAW: /* CHAL-1 */
        g->pending_draws = draws[g->side][WILD_DRAW];
        ask(g, RESPOND, next);
        break;
    case REVERSE: /* ACT-2 */
        g->direction = -g->direction;
        end_turn(g, g->num_seats == 2 ? seat : seat_after(g, seat));
        break;
    case SKIP: /* ACT-3, ACT-4 */
        end_turn(g, g->side == DARK ? seat : seat_after(g, next));
        break;
    case FLIP:
        flip(g);
        break;
    default:
        end_turn(g, next);
    }
}

static void ask_in_window(game *g) /* UNO-4 */
{
    int skipped = below(g, __builtin_popcount(g->to_ask)), seats = g->to_ask;
    while (skipped-- > 0)
        seats &= seats - 1;
    int seat = __builtin_ctz(seats);
    g->to_ask &= ~(1 << seat);
    ask(g, UNO, seat);
}

static void land(game *g) /* UNO-5 */
{
    if (g->hand_size[g->turn_seat] != 1 || g->said_uno >> g->turn_seat & 1) {
        take_effect(g);
        return;
    }
    g->silent_seat = g->turn_seat;
    g->to_ask = (1 << g->num_seats) - 1;
    ask_in_window(g);
}

static void speak(game *g, int action) /* UNO-3, UNO-4 */
{
    if (action == ACT_CATCH)
        draw_cards(g, g->silent_seat, 2);
    else if (action == ACT_SAY_UNO)
        g->said_uno |= 1 << g->silent_seat;
    else if (g->to_ask != 0) {
        ask_in_window(g);
        return;
    }
    g->to_ask = 0;
    g->silent_seat = NOBODY;
    take_effect(g);
}

static void play_card(game *g, int slot)
{
    int seat = g->turn_seat, card = held_card(g, seat, slot), shown = front(g, card);
    if (symbol[shown] == WILD_DRAW) { /* CHAL-6 */
        g->is_guilty = (g->hand[g->side][seat] & color_set[g->color]) != 0;
        g->challenged_color = g->color;
    }
    toggle_in_hand(g, seat, card);
    if (--g->hand_size[seat] == 0)
        g->went_out[seat] = ++g->num_out;
    put_on_discard(g, card);
    g->idle_turns = 0;
    g->pair_size = 1;
    g->color = color_of[shown];
    if (g->color == NO_COLOR)
        ask(g, COLOR, seat);
    else
        land(g);
}

static void draw_instead(game *g) /* TURN-2, TURN-4 */
{
    int seat = g->turn_seat, card = draw_card(g, seat);
    if (card != NO_CARD && matching(g) & bit(front(g, card))) {
        g->drawn_card = card;
        ask(g, DRAWN, seat);
    } else
        pass_on(g);
}

static void name_color(game *g, int color)
{
    g->color = color;
    if (!g->is_named_at_end)
        land(g);
    else {
        g->is_named_at_end = false;
        end_turn(g, g->next_seat);
    }
}

static void challenge(game *g, int challenger) /* CHAL-2 to CHAL-4 */
{
    int seat = g->turn_seat;
    for (int side = 0; side < 2; side++)
        g->known[side][challenger] |= g->hand[side][seat];
    if (g->is_guilty) {
        draw_what_it_says(g, seat);
        end_turn(g, challenger);
    } else {
        draw_what_it_says(g, challenger);
        draw_cards(g, challenger, 2);
        end_turn(g, seat_after(g, challenger));
    }
}

static void decide(game *g, int action)
{
    if (action < ACT_COLOR)
        play_card(g, action);
    else if (action < ACT_DRAW)
        name_color(g, action - ACT_COLOR);
    else if (g->phase == UNO)
        speak(g, action);
    else if (action == ACT_DRAW)
        draw_instead(g);
    else if (action == ACT_KEEP)
        pass_on(g);
    else if (action == ACT_SAY_UNO)
        g->said_uno |= 1 << g->actor;
    else if (action == ACT_CHALLENGE)
        challenge(g, g->actor);
    else {
        draw_what_it_says(g, g->actor);
        end_turn(g, seat_after(g, g->actor));
    }
}

/* ---- The deal ---- */

static void pair_faces(game *g) /* DECK-3 */
{
    for (int slot = 0; slot < NUM_CARDS; slot++)
        g->partner[LIGHT][slot] = slot;
    shuffle(g, g->partner[LIGHT], NUM_CARDS);
    for (int slot = 0; slot < NUM_CARDS; slot++)
        g->partner[DARK][g->partner[LIGHT][slot]] = slot;
    for (int side = 0; side < 2; side++)
        for (int slot = 0; slot < NUM_CARDS; slot++)
            g->backs[side][slot] = 1 + face[g->partner[side][slot]];
}

static void turn_up_first_card(game *g) /* START-6, START-7 */
{
    int count = g->draw_end;
    put_on_discard(g, take_from_draw_pile(g));
    while (symbol[top_card(g)] == FLIP || symbol[top_card(g)] == WILD_DRAW) {
        g->draw_pile[count - 1] = top_card(g);
        g->draw_end = count;
        g->discard_size = 0;
        g->lying[LIGHT] = g->lying[DARK] = 0;
        shuffle(g, g->draw_pile, count);
        put_on_discard(g, take_from_draw_pile(g));
    }
}

static void deal(game *g) /* DEAL-2, DEAL-4 */
{
    for (int card = 0; card < NUM_CARDS; card++)
        g->draw_pile[card] = card;
    g->draw_end = NUM_CARDS;
    shuffle(g, g->draw_pile, NUM_CARDS);
    int seat = seat_after(g, g->dealer);
    for (int i = 0; i < HAND * g->num_seats; i++) {
        toggle_in_hand(g, seat, take_from_draw_pile(g));
        g->hand_size[seat]++;
        seat = seat_after(g, seat);
    }
    turn_up_first_card(g);
}

static void act_on_first_card(game *g) /* START-1 to START-5 */
{
    int first = seat_after(g, g->dealer), kind = symbol[top_card(g)];
    g->color = color_of[top_card(g)];
    if (kind == DRAW) {
        draw_cards(g, first, 1);
        begin_turn(g, seat_after(g, first));
    } else if (kind == REVERSE) {
        g->direction = -1;
        begin_turn(g, g->dealer);
    } else if (kind == SKIP) {
        begin_turn(g, seat_after(g, first));
    } else if (kind == WILD) {
        g->is_named_at_end = true;
        g->next_seat = first;
        g->turn_seat = g->dealer;
        ask(g, COLOR, first);
    } else
        begin_turn(g, first);
}

static void start_round(game *g, int num_seats, uint64_t seed)
{
    memset(g, 0, sizeof *g);
    g->rng_key = mix(seed);
    g->num_seats = num_seats;
    g->direction = 1;
    g->silent_seat = NOBODY;
    g->challenged_color = NO_COLOR;
    g->dealer = below(g, num_seats); /* DEAL-1 */
    pair_faces(g);
    deal(g);
    act_on_first_card(g);
}
