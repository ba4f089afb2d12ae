/* The machine as a Linux process on a pty.
 *
 *     build/host/wheel [--real] [--link PATH] [--eeprom FILE] [TTY]
 *
 * It opens a pty and prints "port /dev/pts/N"; with a TTY it takes that instead. --link makes PATH a link to it, as udev does
 * in /dev/serial/by-id. --eeprom reads the non-volatile memory from FILE, and writes each change of it there.
 *
 * Its pins are driven by lines on stdin, and its outputs are lines on stdout:
 *
 *     in   TICKS                  lets time pass until then
 *          TICKS D2 1             the same, and then puts a level on an input
 *          TICKS C2 0.25          the same for an analogue channel: a share of the supply
 *     out  TICKS B0 255           an output took a value
 *          at TICKS               each line of stdin is done
 *
 * Time is virtual: it passes only as stdin says, and the program ends with stdin. With --real it is the computer's,
 * lines need no TICKS ("D2 1"), and the program ends when it is told to (SIGTERM).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"
#include "messages.h"

#define SLICE_TICKS TICKS_A_MS /* the port is looked at this often (ours) */
#define NS_A_TICK 500

static int port = -1;
static const char *eeprom_path;
static uint8_t eeprom_saved[PORT_EEPROM_SIZE];

static void fail(const char *what, const char *name)
{
    (void)fprintf(stderr, "%s: %s: %s\n", what, name, strerror(errno));
    exit(1);
}

/* --- the port ------------------------------------------------------------------------------------------------------- */

static void make_raw(int tty)
{
    struct termios settings;
    if (tcgetattr(tty, &settings) != 0)
        return; /* no terminal: a socket or a pipe is raw already */
    settings.c_iflag = 0;
    settings.c_oflag = 0;
    settings.c_lflag = 0;
    settings.c_cflag = CS8 | CREAD | CLOCAL;
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    (void)tcsetattr(tty, TCSANOW, &settings);
}

static const char *open_pty(void)
{
    port = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (port < 0 || grantpt(port) != 0 || unlockpt(port) != 0)
        fail("cannot open a pty", "/dev/ptmx");
    const char *name = ptsname(port);
    int other = open(name, O_RDWR | O_NOCTTY); /* kept open: with nobody there the pty would say it is gone */
    if (other < 0)
        fail("cannot open", name);
    make_raw(other);
    return name;
}

static void hear(void)
{
    uint8_t bytes[256];
    ssize_t count = read(port, bytes, sizeof bytes);
    for (ssize_t i = 0; i < count; i++)
        (void)machine_receive(0, bytes[i]);
    if (count < 0 && errno != EAGAIN && errno != EINTR)
        fail("cannot read", "the port");
}

static void say(void)
{
    struct machine_sent sent;
    struct machine_change change;
    uint8_t bytes[256];
    size_t count = 0;
    while (machine_take_sent(&sent)) {
        bytes[count++] = sent.byte;
        if (count == sizeof bytes) {
            (void)!write(port, bytes, count); /* what nobody fetches is lost, as on any serial line */
            count = 0;
        }
    }
    if (count != 0)
        (void)!write(port, bytes, count);
    while (machine_take_change(&change))
        printf("%llu %02X %u\n", (unsigned long long)change.ticks, change.pin, change.value);
}

/* --- non-volatile memory -------------------------------------------------------------------------------------------- */

static bool load_eeprom(uint8_t *to)
{
    FILE *file = eeprom_path ? fopen(eeprom_path, "rb") : NULL;
    if (!file)
        return false;
    memset(to, 0xFF, PORT_EEPROM_SIZE);
    (void)!fread(to, 1, PORT_EEPROM_SIZE, file);
    (void)fclose(file);
    return true;
}

static void save_eeprom(void)
{
    uint8_t bytes[PORT_EEPROM_SIZE];
    if (!eeprom_path || machine_eeprom_busy())
        return;
    machine_eeprom(bytes, 0);
    if (memcmp(bytes, eeprom_saved, sizeof bytes) == 0)
        return;
    memcpy(eeprom_saved, bytes, sizeof bytes);
    FILE *file = fopen(eeprom_path, "wb");
    if (!file || fwrite(bytes, 1, sizeof bytes, file) != sizeof bytes || fclose(file) != 0)
        fail("cannot write", eeprom_path);
}

/* --- the world ------------------------------------------------------------------------------------------------------ */

static void run(uint64_t until)
{
    while (machine_ticks() < until) {
        uint64_t slice = machine_ticks() + SLICE_TICKS;
        hear();
        machine_run(slice < until ? slice : until);
        say();
        save_eeprom();
    }
}

static bool is_pin(const char *name)
{
    return strlen(name) == 2 && name[0] >= 'B' && name[0] <= 'D' && name[1] >= '0' && name[1] <= '7';
}

static void apply(const char *name, const char *value)
{
    char *rest;
    double number = strtod(value, &rest);
    if (!is_pin(name) || *rest != '\0' || number < 0.0 || number > 1.0) {
        (void)fprintf(stderr, "%s %s: expected a pin such as D2, and a level 0 or 1 or a share between\n", name, value);
        exit(2);
    }
    uint8_t pin = (uint8_t)((uint8_t)((name[0] - 'A' + 0xA) << 4) | (uint8_t)(name[1] - '0'));
    if (!machine_drive(machine_ticks(), pin, number >= 0.5))
        fail("too much waits", name);
    machine_supply(pin, (uint16_t)(number * 1023.0 + 0.5));
}

/* One line of stdin, at the machine's time `now` where it names none. */
static void obey(char *line, uint64_t now)
{
    char *words[3] = {0};
    char *rest = NULL;
    size_t count = 0;
    for (char *word = strtok_r(line, " \t\r\n", &rest); word && count < 3; word = strtok_r(NULL, " \t\r\n", &rest))
        words[count++] = word;
    if (count == 0)
        return;
    if (count != 2) {
        char *end;
        now = strtoull(words[0], &end, 10);
        if (*end != '\0') {
            (void)fprintf(stderr, "%s: expected a time in ticks\n", words[0]);
            exit(2);
        }
    }
    run(now);
    if (count >= 2)
        apply(words[count - 2], words[count - 1]);
    printf("at %llu\n", (unsigned long long)machine_ticks());
    (void)fflush(stdout);
}

static uint64_t real_ticks(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return ((uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec) / NS_A_TICK;
}

static void live_virtual(void)
{
    char line[256];
    while (fgets(line, sizeof line, stdin))
        obey(line, machine_ticks());
}

/* Lines of stdin may come in pieces; what is left of one waits for its end. */
static bool take_stdin(uint64_t now)
{
    static char held[4096];
    static size_t used;
    ssize_t count = read(STDIN_FILENO, held + used, sizeof held - 1 - used);
    if (count <= 0)
        return false;
    used += (size_t)count;
    held[used] = '\0';
    char *begin = held;
    for (char *end = strchr(begin, '\n'); end; end = strchr(begin, '\n')) {
        *end = '\0';
        obey(begin, now);
        begin = end + 1;
    }
    used = strlen(begin);
    memmove(held, begin, used);
    if (used == sizeof held - 1)
        used = 0; /* no line is so long */
    return true;
}

static void live_real(void)
{
    uint64_t began = real_ticks() - machine_ticks();
    struct pollfd watched[2] = {{.fd = port, .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
    for (;;) {
        run(real_ticks() - began);
        (void)fflush(stdout);
        uint64_t left = machine_next() - machine_ticks();
        uint64_t most = UINT64_C(20) * TICKS_A_MS;
        struct timespec wait = {.tv_nsec = (long)((left < most ? left : most) * NS_A_TICK)};
        struct timespec least = {.tv_nsec = 200000}; /* of the computer's time, not to take all of it */
        if (wait.tv_nsec < least.tv_nsec)
            wait = least;
        int timeout_ms = (int)((wait.tv_nsec + 999999) / 1000000);
        if (poll(watched, 2, timeout_ms) > 0 && watched[1].revents != 0 && !take_stdin(real_ticks() - began))
            watched[1].fd = -1;
    }
}

int main(int count, char **arguments)
{
    bool real = false;
    const char *link_path = NULL;
    const char *tty = NULL;
    for (int i = 1; i < count; i++) {
        bool more = i + 1 < count;
        if (strcmp(arguments[i], "--real") == 0)
            real = true;
        else if (strcmp(arguments[i], "--link") == 0 && more)
            link_path = arguments[++i];
        else if (strcmp(arguments[i], "--eeprom") == 0 && more)
            eeprom_path = arguments[++i];
        else if (arguments[i][0] != '-' && !tty)
            tty = arguments[i];
        else {
            (void)fprintf(stderr, "usage: %s [--real] [--link PATH] [--eeprom FILE] [TTY]\n", arguments[0]);
            return 2;
        }
    }
    if (tty) {
        port = open(tty, O_RDWR | O_NOCTTY | O_NONBLOCK);
        if (port < 0)
            fail("cannot open", tty);
        make_raw(port);
    } else {
        tty = open_pty();
    }
    if (link_path && ((unlink(link_path) != 0 && errno != ENOENT) || symlink(tty, link_path) != 0))
        fail("cannot make the link", link_path);
    printf("port %s\n", tty);
    (void)fflush(stdout);
    bool kept = load_eeprom(eeprom_saved);
    machine_begin(0, kept ? eeprom_saved : NULL, RESET_POWER_ON);
    if (real)
        live_real();
    else
        live_virtual();
    return 0;
}
