/* A bot in C: the legal action at the given uniform number's place, so any of them alike.
 *
 * cc -O2 -o any_bot examples/bots/any.c
 * python -m eval match cmd:./any_bot greedy --deals 50
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What follows "name": in a line of JSON, or the end of the program. */
static const char *value(const char *line, const char *name) {
    const char *found = strstr(line, name);
    if (!found) {
        fprintf(stderr, "no %s in this message\n", name);
        exit(1);
    }
    return found + strlen(name);
}

int main(void) {
    static char line[1 << 20];
    if (!fgets(line, sizeof line, stdin)) return 0; /* the greeting: nothing in it is needed here */
    puts("{\"protocol\":1,\"name\":\"any\"}");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        int actions[256], count = 0;
        const char *next = value(line, "\"legal\":[");
        do actions[count++] = (int)strtol(next, (char **)&next, 10);
        while (*next++ == ',' && count < 256);
        int chosen = (int)(atof(value(line, "\"uniform\":")) * count);
        printf("{\"id\":%ld,\"action\":%d}\n", atol(value(line, "\"id\":")), actions[chosen]);
        fflush(stdout);
    }
    return 0;
}
