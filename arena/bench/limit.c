/*
 * What the machine allows: a referee in C without any rules, which only says again what a real one once said. No
 * referee that sends the same frames through the same pipes can be faster than this.
 *
 *     limit SCRIPT SECONDS BOT [ARG...]
 *
 * starts as many copies of the bot as the script has seats, hears hello, says welcome, and then replays the script, a
 * whole game, until so many seconds are over. It prints
 *
 *     {"games": G, "turns": T, "answers": A, "seconds": S, "cpu_seconds": C}
 *
 * all of the replays alone: starting and ending the bots does not count. C is the CPU time of this process, user and
 * system. As the ids of the questions come again with each game, the bot has to be one that does not mind: bot.c.
 *
 *     limit --ping SECONDS BYTES
 *
 * sends a message of so many bytes to and fro between two processes and prints {"roundtrips": R, "seconds": S}.
 *
 * The script. All numbers are unsigned, of 4 bytes, big-endian:
 *
 *     script = seats, turn, turn, ... up to the end of the file; at least one turn
 *     turn   = the number of its frames, at least 1; then these frames
 *     frame  = seat (from 0), answered (1 if the bot owes one frame for it, else 0), size, and so many bytes: the
 *              frame as it goes through the pipe, with the 4 bytes of its own length
 *
 * A turn is played by writing all its frames, in order, and then waiting until every answer has come in. Nothing is
 * read while a turn is written, so what one bot owes in a turn has to fit into a pipe (64 KiB).
 */
#define _GNU_SOURCE /* pipe2 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HEADER = 4, MOST_BYTES = 1 << 20, MOST_SEATS = 64, PATIENCE_MS = 10000 };

/* Ends this process, and with it every bot (see `spawn`). */
__attribute__((format(printf, 1, 2))) static _Noreturn void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("limit.c: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static double monotonic(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double own_cpu(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static uint32_t big_endian(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* False if the other side has gone. */
static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t wrote = write(fd, bytes, size);
        if (wrote < 0 && errno != EINTR)
            return false;
        bytes += wrote > 0 ? wrote : 0;
        size -= wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

/* ---- The script ---- */

struct frame {
    uint32_t seat, size;
    bool answered, ends_turn;
    const uint8_t *bytes;
};

struct script {
    uint32_t seats;
    size_t n_frames;
    struct frame *frames; /* those of all turns */
    const uint8_t *file;  /* which they point into */
};

struct cursor {
    const uint8_t *at, *end;
    const char *path;
};

static const uint8_t *take(struct cursor *in, size_t size)
{
    if ((size_t)(in->end - in->at) < size)
        fail("%s ends in the middle of a turn", in->path);
    in->at += size;
    return in->at - size;
}

static uint32_t take_number(struct cursor *in)
{
    return big_endian(take(in, 4));
}

static struct frame take_frame(struct cursor *in, uint32_t seats)
{
    struct frame frame = {.seat = take_number(in)};
    uint32_t answered = take_number(in);
    frame.answered = answered == 1;
    frame.size = take_number(in);
    frame.bytes = take(in, frame.size);
    if (frame.seat >= seats || answered > 1)
        fail("%s: a frame for seat %" PRIu32 " of %" PRIu32 ", answered %" PRIu32, in->path, frame.seat, seats,
             answered);
    if (frame.size < HEADER || frame.size - HEADER != big_endian(frame.bytes))
        fail("%s: a frame of %" PRIu32 " bytes whose own length does not say so", in->path, frame.size);
    return frame;
}

static void *resized(void *old, size_t count, size_t size)
{
    void *memory = realloc(old, count * size);
    if (!memory)
        fail("out of memory");
    return memory;
}

static struct cursor read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail("%s: %s", path, strerror(errno));
    uint8_t *bytes = NULL;
    size_t size = 0, room = 0, got;
    do {
        if (size == room)
            bytes = resized(bytes, room = 2 * room + 65536, 1);
        size += got = fread(bytes + size, 1, room - size, file);
    } while (got > 0);
    if (ferror(file))
        fail("%s: %s", path, strerror(errno));
    fclose(file);
    return (struct cursor){bytes, bytes + size, path};
}

static struct script read_script(const char *path)
{
    struct cursor in = read_file(path);
    struct script script = {.file = in.at};
    script.seats = take_number(&in);
    size_t room = 0;
    if (script.seats < 1 || script.seats > MOST_SEATS)
        fail("%s: %" PRIu32 " seats, possible are 1 to %d", path, script.seats, MOST_SEATS);
    while (in.at < in.end) {
        uint32_t left = take_number(&in);
        if (left == 0)
            fail("%s: a turn without frames", path);
        for (; left > 0; left--) {
            if (script.n_frames == room)
                script.frames = resized(script.frames, room = 2 * room + 64, sizeof *script.frames);
            script.frames[script.n_frames] = take_frame(&in, script.seats);
            script.frames[script.n_frames++].ends_turn = left == 1;
        }
    }
    if (script.n_frames == 0)
        fail("%s: no turns", path);
    return script;
}

/* ---- Bots ---- */

struct bot {
    pid_t pid;
    int in, out;    /* its stdin and its stdout */
    unsigned owed;  /* answers that have not come */
    uint8_t header[HEADER];
    size_t n_header; /* how much of the header of the next answer is there */
    size_t left;     /* how much of its payload is not */
};

struct table {
    uint32_t seats;
    struct bot bots[MOST_SEATS];
    int epoll;
    unsigned owed; /* by all bots */
};

struct tally {
    uint64_t games, turns, answers;
};

static void open_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) < 0)
        fail("no pipe: %s", strerror(errno));
}

/* A new process, in which this returns 0. However this process ends, the new one is killed then, if it still lives. */
static pid_t spawn(void)
{
    pid_t pid = fork();
    if (pid < 0)
        fail("no new process: %s", strerror(errno));
    if (pid == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    return pid;
}

static struct bot start_bot(char **command)
{
    int to_bot[2], from_bot[2];
    open_pipe(to_bot);
    open_pipe(from_bot);
    struct bot bot = {.pid = spawn(), .in = to_bot[1], .out = from_bot[0]};
    if (bot.pid == 0) {
        signal(SIGPIPE, SIG_DFL); /* exec would pass on that we ignore it */
        dup2(to_bot[0], STDIN_FILENO);
        dup2(from_bot[1], STDOUT_FILENO);
        execvp(command[0], command);
        fprintf(stderr, "limit.c: %s does not start: %s\n", command[0], strerror(errno));
        _exit(127);
    }
    close(to_bot[0]);
    close(from_bot[1]);
    return bot;
}

static void sit_down(struct table *table, uint32_t seats, char **command)
{
    table->seats = seats;
    table->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (table->epoll < 0)
        fail("no epoll: %s", strerror(errno));
    for (uint32_t seat = 0; seat < seats; seat++) {
        table->bots[seat] = start_bot(command);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = seat};
        if (epoll_ctl(table->epoll, EPOLL_CTL_ADD, table->bots[seat].out, &event) < 0)
            fail("no epoll: %s", strerror(errno));
    }
}

static void stand_up(struct table *table)
{
    for (uint32_t seat = 0; seat < table->seats; seat++) {
        close(table->bots[seat].in);
        close(table->bots[seat].out);
    }
    for (uint32_t seat = 0; seat < table->seats; seat++) {
        int status;
        while (waitpid(table->bots[seat].pid, &status, 0) < 0) {
            if (errno != EINTR)
                fail("seat %" PRIu32 ": no exit status: %s", seat, strerror(errno));
        }
        if (status != 0)
            fail("seat %" PRIu32 " ended with wait status %d instead of exit status 0", seat, status);
    }
    close(table->epoll);
}

static void ask(struct table *table, uint32_t seat, unsigned answers)
{
    table->bots[seat].owed += answers;
    table->owed += answers;
}

static void tell(struct table *table, uint32_t seat, const uint8_t *frame, size_t size)
{
    if (!write_all(table->bots[seat].in, frame, size))
        fail("seat %" PRIu32 " does not read: %s", seat, strerror(errno));
}

static void begin_payload(struct table *table, uint32_t seat)
{
    struct bot *bot = &table->bots[seat];
    bot->left = big_endian(bot->header);
    if (bot->owed == 0 || bot->left == 0 || bot->left > MOST_BYTES)
        fail("seat %" PRIu32 " sent a frame of %zu bytes while it owed %u", seat, bot->left, bot->owed);
}

/* Finds the ends of answers; what they say does not matter. */
static void count_answers(struct table *table, uint32_t seat, const uint8_t *bytes, size_t size)
{
    struct bot *bot = &table->bots[seat];
    while (size > 0) {
        if (bot->n_header < HEADER) {
            bot->header[bot->n_header++] = *bytes++;
            size--;
            if (bot->n_header == HEADER)
                begin_payload(table, seat);
            continue;
        }
        size_t step = size < bot->left ? size : bot->left;
        bytes += step;
        size -= step;
        bot->left -= step;
        if (bot->left == 0) {
            bot->n_header = 0;
            bot->owed--;
            table->owed--;
        }
    }
}

static void hear(struct table *table, uint32_t seat)
{
    static uint8_t bytes[65536];
    ssize_t got = read(table->bots[seat].out, bytes, sizeof bytes);
    if (got == 0)
        fail("seat %" PRIu32 " has closed its stdout", seat);
    if (got < 0 && errno != EINTR)
        fail("seat %" PRIu32 " cannot be read: %s", seat, strerror(errno));
    if (got > 0)
        count_answers(table, seat, bytes, (size_t)got);
}

static void hear_all(struct table *table)
{
    struct epoll_event events[MOST_SEATS];
    while (table->owed > 0) {
        int ready = epoll_wait(table->epoll, events, MOST_SEATS, PATIENCE_MS);
        if (ready == 0)
            fail("%u answers have not come within %d ms", table->owed, PATIENCE_MS);
        if (ready < 0 && errno != EINTR)
            fail("no epoll: %s", strerror(errno));
        for (int i = 0; i < ready; i++)
            hear(table, events[i].data.u32);
    }
}

/* ---- The two measurements ---- */

/* The example of SPEC.md, section 5, from an arena "limit". Cut after each \x, which would swallow a to f. */
static const char WELCOME[] = "\0\0\0\x5a\x84\xa4" "type" "\xa7" "welcome" "\xa8" "protocol" "\x01"
                              "\xa5" "arena" "\xa5" "limit" "\xa6" "limits"
                              "\x83\xaf" "max_frame_bytes" "\xce\0\x10\0\0" "\xa9" "max_depth" "\x20"
                              "\xaa" "note_chars" "\xcd\x04\0";
_Static_assert(sizeof WELCOME - 1 == HEADER + 0x5a, "the length of welcome");

static void greet(struct table *table)
{
    for (uint32_t seat = 0; seat < table->seats; seat++)
        ask(table, seat, 1);
    hear_all(table);
    for (uint32_t seat = 0; seat < table->seats; seat++)
        tell(table, seat, (const uint8_t *)WELCOME, sizeof WELCOME - 1);
}

static void play(struct table *table, const struct script *script, struct tally *tally)
{
    for (size_t i = 0; i < script->n_frames; i++) {
        const struct frame *frame = &script->frames[i];
        ask(table, frame->seat, frame->answered);
        tell(table, frame->seat, frame->bytes, frame->size);
        if (frame->ends_turn) {
            tally->answers += table->owed;
            tally->turns++;
            hear_all(table);
        }
    }
    tally->games++;
}

static void replay(const char *path, double seconds, char **command)
{
    struct script script = read_script(path);
    struct table table = {.owed = 0};
    struct tally tally = {0};
    sit_down(&table, script.seats, command);
    greet(&table);
    double cpu = own_cpu(), start = monotonic(), spent;
    do
        play(&table, &script, &tally);
    while ((spent = monotonic() - start) < seconds);
    cpu = own_cpu() - cpu;
    stand_up(&table);
    printf("{\"games\": %" PRIu64 ", \"turns\": %" PRIu64 ", \"answers\": %" PRIu64
           ", \"seconds\": %.6f, \"cpu_seconds\": %.6f}\n",
           tally.games, tally.turns, tally.answers, spent, cpu);
    free(script.frames);
    free((void *)script.file);
}

static bool read_all(int fd, uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t got = read(fd, bytes, size);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        bytes += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

static void ping(double seconds, size_t size)
{
    int to_echo[2], from_echo[2];
    uint8_t *bytes = resized(NULL, size, 1);
    memset(bytes, 0, size);
    open_pipe(to_echo);
    open_pipe(from_echo);
    pid_t echo = spawn();
    if (echo == 0) {
        close(to_echo[1]);
        while (read_all(to_echo[0], bytes, size) && write_all(from_echo[1], bytes, size))
            continue;
        _exit(0);
    }
    close(to_echo[0]);
    close(from_echo[1]);
    uint64_t roundtrips = 0;
    double start = monotonic(), spent;
    do {
        if (!write_all(to_echo[1], bytes, size) || !read_all(from_echo[0], bytes, size))
            fail("the echo has gone");
        roundtrips++;
    } while ((spent = monotonic() - start) < seconds);
    close(to_echo[1]);
    waitpid(echo, NULL, 0);
    printf("{\"roundtrips\": %" PRIu64 ", \"seconds\": %.6f}\n", roundtrips, spent);
    free(bytes);
}

static double number(const char *text, double least, double most)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= least && value <= most))
        fail("expected a number from %g to %g, got '%s'", least, most, text);
    return value;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a bot that has gone is an error with a name */
    if (argc == 4 && strcmp(argv[1], "--ping") == 0)
        ping(number(argv[2], 0, 3600), (size_t)number(argv[3], 1, MOST_BYTES));
    else if (argc >= 4 && argv[1][0] != '-')
        replay(argv[1], number(argv[2], 0, 3600), argv + 3);
    else
        fail("usage: limit SCRIPT SECONDS BOT [ARG...], or limit --ping SECONDS BYTES");
    return 0;
}
