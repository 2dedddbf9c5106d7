/* A bot in C: one file, no library for JSON. It compares bids with the number of dice that it expects.
 *
 *     cc -O2 -o mean mean.c
 *
 * The protocol promises what this needs: no spaces, `type` first, keys in their documented order. A name cannot be
 * mistaken for a key, because a quote inside a string is written \". */

#define _POSIX_C_SOURCE 200809L /* getline */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int faces, wild, wild_in_special; /* of the match; wild is 0 for none */

/* Where the value of a key begins: after("\"hand\":", line). Where there is no such key, an empty text. */
static const char *after(const char *key, const char *text)
{
    const char *found = strstr(text, key);
    return found ? found + strlen(key) : "";
}

/* Read the next number of a list, at *list, and move on; 0 at its end. */
static int next(const char **list, int *number)
{
    const char *start = *list + strspn(*list, "[,");
    char *end;
    *number = (int)strtol(start, &end, 10);
    *list = end;
    return end > start;
}

static int sum(const char *list)
{
    int total = 0;
    for (int number; next(&list, &number);)
        total += number;
    return total;
}

/* How many dice of the list `hand` show a face. */
static int showing(const char *hand, int face)
{
    int many = 0;
    for (int die; next(&hand, &die);)
        many += die == face;
    return many;
}

/* How many dice more than a bid says are to be expected; the greater, the safer the bid. */
static double margin(const char *act, int quantity, int face)
{
    const char *hand = after("\"hand\":", act);
    int special = strncmp(after("\"special\":", act), "true", 4) == 0;
    int joker = special && !wild_in_special ? 0 : wild;
    int own = 0, counting = 1;
    for (int each = 1; each <= faces; each++)
        if (each == face || each == joker)
            own += showing(hand, each);
    if (joker && joker != face)
        counting = 2;
    int mine = 0;
    for (int die; next(&hand, &die);)
        mine++;
    int unknown = sum(after("\"dice\":", act)) - mine;
    return own + (double)unknown * counting / faces - quantity;
}

/* The standing bid: the last of "bids":[[seat,quantity,face],...]. */
static int standing(const char *act, int *quantity, int *face)
{
    int seat, any = 0;
    const char *bid = after("\"bids\":[", act);
    while (sscanf(bid, "[%d,%d,%d]", &seat, quantity, face) == 3) {
        any = 1;
        bid = strchr(bid, ']') + 1;
        bid += *bid == ',';
    }
    return any;
}

static void answer(const char *act)
{
    int sequence = atoi(after("\"sequence\":", act));
    int least, quantity = 0, face = 0, best_quantity = 0, best_face = 0;
    double best = 0;
    const char *list = after("\"least\":", act);
    for (int one = 0; next(&list, &least); one++)
        if (least && (!best_quantity || margin(act, least, one) > best)) {
            best = margin(act, least, one);
            best_quantity = least;
            best_face = one;
        }
    if (standing(act, &quantity, &face) && (!best_quantity || -margin(act, quantity, face) > best + 1)) {
        const char *call = after("\"calls\":[\"", act);
        printf("{\"action\":\"%.*s\",\"sequence\":%d}\n", (int)strcspn(call, "\""), call, sequence);
    } else {
        printf("{\"action\":\"%dx%d\",\"sequence\":%d}\n", best_quantity, best_face, sequence);
    }
}

static int is(const char *type, const char *line)
{
    return strncmp(after("{\"type\":\"", line), type, strlen(type)) == 0;
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) { /* getline makes room: lines may be long */
        if (is("hello\"", line)) {
            puts("{\"protocol\":1,\"name\":\"mean\"}");
        } else if (is("match\"", line)) {
            faces = atoi(after("\"faces\":", line));
            wild = atoi(after("\"wild\":", line)); /* null is 0 */
            wild_in_special = strncmp(after("\"wild\":", after("\"special\":{", line)), "true", 4) == 0;
        } else if (is("act\"", line)) {
            answer(line);
        } else if (is("bye\"", line)) {
            break;
        }
        fflush(stdout); /* or the answer stays here */
    }
    free(line);
    return 0;
}
