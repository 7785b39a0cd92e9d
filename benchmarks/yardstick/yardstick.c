/* Uniformly random legal play of `official` in plain C, as fast as a program of this design goes.
 *
 * It writes what the engine writes: masks of NUM_ACTIONS bytes and observations in the layout of unoflip_env/observation.py.
 */
#include "rules.h"

enum { BARE, MASK, OBSERVATION };
enum { NUM_ACTIONS = 156, NUM_COLORED = 52 };

static uint64_t flags[256]; /* a byte's bits as eight bytes */
static uint32_t pairs[256]; /* its pairs of bits, counted */

__attribute__((constructor)) static void fill_byte_tables(void)
{
    for (int b = 0; b < 256; b++)
        for (int k = 0; k < 8; k++) {
            flags[b] |= (uint64_t)(b >> k & 1) << 8 * k;
            pairs[b] += (uint32_t)(b >> k & 1) << 8 * (k / 2);
        }
}

static void write_flags(set s, int count, byte *out)
{
    const byte *bytes = (const byte *)&s; /* lowest slots first: a little-endian machine */
    for (int i = 0; i < count / 8; i++)
        memcpy(out + 8 * i, &flags[bytes[i]], 8);
}

static void write_mask(set legal, byte *out)
{
    write_flags(legal, 128, out);
    memset(out + 128, 0, NUM_ACTIONS - 128);
}

static byte *write_counts(set s, byte *out) /* by face */
{
    const byte *bytes = (const byte *)&s;
    for (int i = 0; i < NUM_COLORED / 4; i++)
        memcpy(out + 4 * i, &pairs[bytes[i]], 4);
    out[NUM_COLORED] = __builtin_popcount(bytes[13] & 15);
    out[NUM_COLORED + 1] = __builtin_popcount(bytes[13] & 240);
    return out + NUM_FACES;
}

static byte *write_backs(set s, const byte *restrict backs, byte *restrict out) /* each at its slot */
{
    write_flags(s, NUM_CARDS, out);
    for (int slot = 0; slot < NUM_CARDS; slot++)
        out[slot] = backs[slot] & -out[slot];
    return out + NUM_CARDS;
}

static void close_ranks(byte *out) /* backs by slot become backs by held slot: lone upper copies move down */
{
    for (int i = 0; i < NUM_COLORED; i++) {
        uint16_t pair;
        memcpy(&pair, out + 2 * i, 2);
        pair = pair & 255 ? pair : pair >> 8;
        memcpy(out + 2 * i, &pair, 2);
    }
    for (int start = 2 * NUM_COLORED; start < NUM_CARDS; start += 4)
        for (int slot = start, place = start; slot < start + 4; slot++) {
            byte shown = out[slot];
            out[slot] = 0;
            out[place] = shown ? shown : out[place];
            place += shown != 0;
        }
}

static byte *write_own_hand(const game *g, int seat, byte *out)
{
    set hand = g->hand[g->side][seat];
    write_flags(held_slots(hand), NUM_CARDS, out);
    write_backs(hand, g->backs[g->side], out + NUM_CARDS);
    close_ranks(out + NUM_CARDS);
    return out + 2 * NUM_CARDS;
}

static byte *write_scalars(const game *g, int seat, byte *out)
{
    int n = g->num_seats, top = front(g, top_card(g));
    int draw_back = draw_size(g) > 0 ? 1 + face[back(g, draw_top(g))] : 0;
    int drawn_slot = g->phase == DRAWN ? 1 + held_slot(g, seat, g->drawn_card) : 0;
    int silent_seat = g->silent_seat != NOBODY ? 1 + (g->silent_seat - seat + n) % n : 0;
    byte values[] = {
        face[top], g->color, 1 + face[back(g, bottom_card(g))], draw_size(g), draw_back, g->side, g->direction > 0, n,
        g->phase, 1, (g->turn_seat - seat + n) % n, g->pending_draws, g->pair_size, silent_seat, 0, 0, 0,
        g->challenged_color, drawn_slot};
    memcpy(out, values, sizeof values);
    return out + sizeof values;
}

static void write_observation(const game *g, const byte *rules, int num_rules, byte *out)
{
    int seat = g->actor, n = g->num_seats;
    out = write_own_hand(g, seat, out);
    byte *backs = out + n, *known = backs + (n - 1) * NUM_FACES;
    for (int k = 0; k < n; k++) {
        int other = seat + k < n ? seat + k : seat + k - n;
        out[k] = g->hand_size[other];
        if (k > 0) {
            backs = write_counts(g->hand[!g->side][other], backs);
            known = write_counts(g->hand[g->side][other] & g->known[g->side][seat], known);
        }
    }
    out = write_counts(g->lying[g->side], known);
    out = write_backs(g->seen[g->side], g->backs[g->side], out);
    out = write_scalars(g, seat, out);
    for (int k = 0; k < n; k++)
        *out++ = g->said_uno >> (seat + k) % n & 1;
    memset(out, 0, 1 + n); /* turns left, scores */
    memcpy(out + 1 + n, rules, num_rules);
}

static int pick_action(set legal, uint64_t bits)
{
    for (int n = (bits >> 32) * size(legal) >> 32; n > 0; n--)
        legal &= legal - 1;
    return lowest(legal);
}

static void write_rewards(const game *g, float *out)
{
    int num_winners = __builtin_popcount(g->winners), num_losers = g->num_seats - num_winners;
    for (int seat = 0; seat < g->num_seats; seat++)
        out[seat] = num_losers == 0 ? 0 : g->winners >> seat & 1 ? 1.0f / num_winners : -1.0f / num_losers;
}

int64_t game_size(void) { return sizeof(game); }

void start(game *games, int64_t num_games, int64_t num_seats, const uint64_t *seeds)
{
    for (int64_t i = 0; i < num_games; i++)
        start_round(&games[i], num_seats, seeds[i]);
}

/* `num_decisions` in each of games [from, to), dealing anew where a round ends; adds to (rounds, draws, flips, wins by seat). */
void play(game *games, int64_t from, int64_t to, uint64_t seed, int64_t num_decisions, int64_t what, const byte *rules,
          int64_t num_rules, byte *masks, byte *observations, int64_t observation_size, float *rewards, int64_t *counts)
{
    for (int64_t i = from; i < to; i++) {
        game *g = &games[i];
        for (size_t line = 0; line < sizeof(game); line += 64)
            __builtin_prefetch((const byte *)(g + 1) + line);
        uint64_t key = mix(seed + i);
        for (int64_t n = 0; n < num_decisions; n++) {
            set legal = legal_actions(g);
            if (what >= MASK)
                write_mask(legal, masks + i * NUM_ACTIONS);
            if (what >= OBSERVATION)
                write_observation(g, rules, num_rules, observations + i * observation_size);
            int action = pick_action(legal, mix(key + n * GAMMA));
            memset(rewards + i * g->num_seats, 0, g->num_seats * sizeof *rewards);
            counts[1] += action == ACT_DRAW;
            counts[2] += action < ACT_COLOR && symbol[action] == FLIP;
            decide(g, action);
            if (g->is_over) {
                counts[0]++;
                for (int seat = 0; seat < g->num_seats; seat++)
                    counts[3 + seat] += g->winners >> seat & 1;
                write_rewards(g, rewards + i * g->num_seats);
                start_round(g, g->num_seats, episode_seed(key, i, n));
            }
        }
    }
}
