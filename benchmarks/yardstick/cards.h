/* The deck, the piles, the hands and a game's random numbers: see rules.h. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef unsigned __int128 set; /* of slots, 0 to 111, or of actions, 0 to 127 */
typedef uint8_t byte;

enum { NUM_CARDS = 112, NUM_FACES = 54, NUM_COLORS = 4, MAX_SEATS = 10, HAND = 7 };
enum { NO_COLOR = 4, NO_CARD = 255, NOBODY = 255, RING = 128 };
enum { LIGHT, DARK };
enum { DRAW = 9, REVERSE, SKIP, FLIP, WILD, WILD_DRAW };
enum { PLAY, DRAWN, COLOR, RESPOND, UNO };
enum { ACT_COLOR = NUM_CARDS, ACT_DRAW = 116, ACT_KEEP, ACT_ACCEPT, ACT_CHALLENGE, ACT_SAY_UNO, ACT_CATCH, ACT_DECLINE };

typedef struct {
    uint64_t rng_key, rng_count;
    set hand[2][MAX_SEATS], known[2][MAX_SEATS]; /* [side][seat] */
    set seen[2], lying[2];
    byte backs[2][NUM_CARDS]; /* 1 + the face on the back of each slot */
    int points[MAX_SEATS];
    uint16_t said_uno, to_ask;
    byte partner[2][NUM_CARDS], draw_pile[NUM_CARDS], discard_pile[RING];
    byte draw_start, draw_end, discard_start, discard_size, hand_size[MAX_SEATS], went_out[MAX_SEATS], num_out;
    byte num_seats, dealer, side, color, phase, actor, turn_seat, drawn_card, next_seat, silent_seat;
    byte pair_size, pending_draws, challenged_color, is_guilty, is_named_at_end, idle_turns, is_over;
    int8_t direction;
    uint16_t num_reshuffles, winners;
} game;

static byte face[NUM_CARDS], color_of[NUM_CARDS], symbol[NUM_CARDS], points[2][NUM_CARDS], first_slot[NUM_CARDS];
static set color_set[NUM_COLORS + 1], symbol_set[WILD_DRAW + 1], matches[NUM_COLORS][WILD_DRAW + 1];
static set even; /* the lower slots of the coloured faces, which have two */
static const byte draws[2][WILD_DRAW + 1] = {{[DRAW] = 1, [WILD_DRAW] = 2}, {[DRAW] = 5}};

static set bit(int slot) { return (set)1 << slot; }
static int lowest(set s) { return (uint64_t)s ? __builtin_ctzll(s) : 64 + __builtin_ctzll(s >> 64); }
static int size(set s) { return __builtin_popcountll(s) + __builtin_popcountll(s >> 64); }

__attribute__((constructor)) static void fill_tables(void)
{
    static const byte by_symbol[2][WILD_DRAW + 1] = {
        {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 20, 20, 40, 50}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 20, 30, 20, 40, 60}};
    for (int slot = 0; slot < NUM_CARDS; slot++) {
        bool is_wild = slot >= 104;
        face[slot] = is_wild ? 52 + (slot - 104) / 4 : slot / 2;
        first_slot[slot] = is_wild ? slot & ~3 : slot & ~1;
        color_of[slot] = is_wild ? NO_COLOR : slot / 26;
        symbol[slot] = is_wild ? WILD + (slot - 104) / 4 : slot / 2 % 13;
        points[LIGHT][slot] = by_symbol[LIGHT][symbol[slot]];
        points[DARK][slot] = by_symbol[DARK][symbol[slot]];
        color_set[color_of[slot]] |= bit(slot);
        symbol_set[symbol[slot]] |= bit(slot);
        even |= !is_wild && slot % 2 == 0 ? bit(slot) : 0;
    }
    for (int c = 0; c < NUM_COLORS; c++)
        for (int s = 0; s <= WILD_DRAW; s++) /* TURN-1; a wild draw may always be a bluff (ACT-8) */
            matches[c][s] = color_set[c] | (s < WILD ? symbol_set[s] : 0) | symbol_set[WILD] | symbol_set[WILD_DRAW];
}

/* ---- Random numbers: SplitMix64 at a place of the game's stream ---- */

static const uint64_t GAMMA = 0x9E3779B97F4A7C15;

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

static uint64_t episode_seed(uint64_t seed, uint64_t number, uint64_t episode)
{
    return mix(mix(seed + 0xD1342543DE82EF95 * (number + 1)) + 0x2545F4914F6CDD1D * episode);
}

static int below(game *g, int n) { return (mix(g->rng_key + g->rng_count++ * GAMMA) >> 32) * n >> 32; }

static void shuffle(game *g, byte *items, int count)
{
    for (int i = count - 1; i > 0; i--) {
        int j = below(g, i + 1);
        byte item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}

/* ---- Cards ---- */

static int seat_after(const game *g, int seat)
{
    int after = seat + g->direction;
    return after < 0 ? after + g->num_seats : after >= g->num_seats ? after - g->num_seats : after;
}

static int front(const game *g, int card) { return g->side == LIGHT ? card : g->partner[LIGHT][card]; }
static int back(const game *g, int card) { return g->side == LIGHT ? g->partner[LIGHT][card] : card; }
static int card_of(const game *g, int slot) { return g->side == LIGHT ? slot : g->partner[DARK][slot]; }

static void toggle_in_hand(game *g, int seat, int card)
{
    g->hand[LIGHT][seat] ^= bit(card);
    g->hand[DARK][seat] ^= bit(g->partner[LIGHT][card]);
}

static void mark(const game *g, set *both, int card)
{
    both[LIGHT] |= bit(card);
    both[DARK] |= bit(g->partner[LIGHT][card]);
}

static int pile_end(const game *g) { return (g->discard_start + g->discard_size - 1) & (RING - 1); }
static int top_card(const game *g) { return g->discard_pile[g->side == LIGHT ? pile_end(g) : g->discard_start]; }
static int bottom_card(const game *g) { return g->discard_pile[g->side == LIGHT ? g->discard_start : pile_end(g)]; }
static int draw_size(const game *g) { return g->draw_end - g->draw_start; }
static int draw_top(const game *g) { return g->draw_pile[g->side == LIGHT ? g->draw_end - 1 : g->draw_start]; }
static int take_from_draw_pile(game *g) { return g->draw_pile[g->side == LIGHT ? --g->draw_end : g->draw_start++]; }

static void put_on_discard(game *g, int card)
{
    g->discard_start = (g->discard_start - (g->side == DARK)) & (RING - 1);
    g->discard_size++;
    g->discard_pile[g->side == LIGHT ? pile_end(g) : g->discard_start] = card;
    mark(g, g->seen, card);
    mark(g, g->lying, card);
}

static set all_held(const game *g, int side)
{
    set held = 0;
    for (int seat = 0; seat < g->num_seats; seat++)
        held |= g->hand[side][seat];
    return held;
}

static void reshuffle(game *g) /* TURN-6 */
{
    int top = top_card(g), count = g->discard_size - 1, start = g->discard_start;
    for (int i = 0; i < count; i++)
        g->draw_pile[i] = g->discard_pile[(g->side == LIGHT ? start + i : start + count - i) & (RING - 1)];
    g->draw_start = g->discard_start = 0;
    g->draw_end = count;
    g->discard_size = 1;
    g->discard_pile[0] = top;
    g->lying[LIGHT] = g->lying[DARK] = 0;
    mark(g, g->lying, top);
    g->rng_count = (uint64_t)++g->num_reshuffles << 16;
    shuffle(g, g->draw_pile, count);
    for (int side = 0; side < 2; side++) {
        set held = all_held(g, side);
        for (int seat = 0; seat < g->num_seats; seat++)
            g->known[side][seat] &= held;
    }
}

static bool is_nothing_left(const game *g) { return draw_size(g) == 0 && g->discard_size <= 1; }

static int draw_card(game *g, int seat)
{
    if (is_nothing_left(g))
        return NO_CARD;
    if (draw_size(g) == 0)
        reshuffle(g);
    int card = take_from_draw_pile(g);
    toggle_in_hand(g, seat, card);
    g->hand_size[seat]++;
    g->idle_turns = 0;
    return card;
}

static void draw_cards(game *g, int seat, int count)
{
    while (count-- > 0 && draw_card(g, seat) != NO_CARD)
        ;
}

static void draw_what_it_says(game *g, int seat) /* ACT-1, ACT-6, ACT-7 */
{
    if (g->pending_draws > 0)
        draw_cards(g, seat, g->pending_draws);
    else
        for (int card = draw_card(g, seat); card != NO_CARD && color_of[front(g, card)] != g->color;)
            card = draw_card(g, seat);
}
