/* play SCHEDULE LINES [LOG]: drives lines of gpio-sim at their times.

   SCHEDULE  records of u64 nanoseconds after the start, u32 line, u32 level
   LINES     the chip's folder in sysfs
   LOG       records of u64 before the write, u64 after it, u32 line, u32 level, on CLOCK_MONOTONIC

   Prints one JSON object: edges, seconds, and the greatest lateness in nanoseconds.
   With FIFO=1 in the environment it runs before every Python process, but behind the kernel's interrupt threads. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_LINES 64
#define BELOW_INTERRUPT_THREADS 40 /* which have 50 */

struct change { uint64_t at_ns; uint32_t line, level; };
struct written { uint64_t before_ns, after_ns; uint32_t line, level; };

static int pulls[MOST_LINES];

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int pull_of(const char *folder, uint32_t line)
{
    char path[512];
    if (line >= MOST_LINES) {
        fprintf(stderr, "play: line %" PRIu32 " is beyond %d\n", line, MOST_LINES);
        exit(2);
    }
    if (pulls[line] == 0) {
        snprintf(path, sizeof path, "%s/sim_gpio%" PRIu32 "/pull", folder, line);
        pulls[line] = open(path, O_WRONLY);
        if (pulls[line] < 0) {
            perror(path);
            exit(1);
        }
    }
    return pulls[line];
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "play SCHEDULE LINES [LOG]\n");
        return 2;
    }
    FILE *file = fopen(argv[1], "rb");
    if (file == NULL) {
        perror(argv[1]);
        return 1;
    }
    fseek(file, 0, SEEK_END);
    size_t count = (size_t)ftell(file) / sizeof(struct change);
    rewind(file);
    struct change *changes = malloc(count * sizeof *changes + 1);
    struct written *log = calloc(count + 1, sizeof *log);
    if (changes == NULL || log == NULL || fread(changes, sizeof *changes, count, file) != count) {
        fprintf(stderr, "play: %s cannot be read\n", argv[1]);
        return 1;
    }
    fclose(file);
    for (size_t i = 0; i < count; i++)
        pull_of(argv[2], changes[i].line);
    if (getenv("FIFO") != NULL) {
        struct sched_param param = {.sched_priority = BELOW_INTERRUPT_THREADS};
        if (sched_setscheduler(0, SCHED_FIFO, &param) != 0) {
            perror("sched_setscheduler");
            return 1;
        }
    }
    uint64_t start_ns = now_ns() + 50000000u, worst_ns = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t due_ns = start_ns + changes[i].at_ns, t_ns = now_ns();
        if (t_ns < due_ns) {
            struct timespec due = {(time_t)(due_ns / 1000000000u), (long)(due_ns % 1000000000u)};
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
            t_ns = now_ns();
        }
        if (t_ns > due_ns && t_ns - due_ns > worst_ns)
            worst_ns = t_ns - due_ns;
        const char *word = changes[i].level ? "pull-up" : "pull-down";
        log[i].before_ns = t_ns;
        log[i].line = changes[i].line;
        log[i].level = changes[i].level;
        if (pwrite(pull_of(argv[2], changes[i].line), word, strlen(word), 0) < 0) {
            perror("pull");
            return 1;
        }
        log[i].after_ns = now_ns();
    }
    double seconds = count > 0 ? (double)(log[count - 1].after_ns - log[0].before_ns) / 1e9 : 0;
    printf("{\"edges\": %zu, \"seconds\": %.3f, \"worst_late_ns\": %" PRIu64 "}\n", count, seconds, worst_ns);
    if (argc > 3) {
        file = fopen(argv[3], "wb");
        if (file == NULL || fwrite(log, sizeof *log, count, file) != count || fclose(file) != 0) {
            perror(argv[3]);
            return 1;
        }
    }
    return 0;
}
