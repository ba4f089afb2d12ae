/* A board's power. A reset puts every variable of the core, the kind and the port back as C has them at the start. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define MOST_SET 4096U /* words */

/* The ends of the sections of power.h, as the linker calls them. */
extern uint64_t zeroed[] __asm__("__start_board_zeroed");
extern uint64_t zeroed_end[] __asm__("__stop_board_zeroed");
extern uint64_t set[] __asm__("__start_board_begun");
extern uint64_t set_end[] __asm__("__stop_board_begun");

static uint64_t set_at_start[MOST_SET];
static bool taken;
static uint8_t image[PORT_EEPROM_SIZE];
static bool spoilt;
static uint8_t fram[PORT_EEPROM_SIZE];
static bool fram_fitted;

void wrong(const char *file, int line, const char *what)
{
    (void)fprintf(stderr, "\n%s:%d: at tick %llu must hold: %s\n", file, line, (unsigned long long)machine_ticks(), what);
    abort();
}

uint64_t whole_ticks(uint32_t ticks)
{
    uint64_t now = machine_ticks();
    return now - (uint64_t)(int64_t)(int32_t)((uint32_t)now - ticks);
}

/* Word by word, and not by memcpy: AddressSanitizer watches the bytes between variables. It aligns them to more than a
 * word, so the sections are whole words. */
__attribute__((no_sanitize("address"), no_builtin)) static void copy(uint64_t *to, const uint64_t *from, size_t words)
{
    for (size_t i = 0; i < words; i++)
        to[i] = from[i];
}

__attribute__((no_sanitize("address"), no_builtin)) static void zero(uint64_t *to, size_t words)
{
    for (size_t i = 0; i < words; i++)
        to[i] = 0;
}

static void reset(void)
{
    size_t words = (size_t)(set_end - set);
    if (!taken) {
        MUST(words <= MOST_SET, "%zu words of variables that are not 0", words);
        copy(set_at_start, set, words);
        taken = true;
    }
    copy(set, set_at_start, words);
    zero(zeroed, (size_t)(zeroed_end - zeroed));
}

static void power_on(uint64_t ticks, uint8_t cause)
{
    reset();
    host_begin();
    guard_begin();
    edges_model_begin();
    told_begin();
    machine_fit_fram(fram_fitted ? fram : NULL);
    machine_begin(ticks, image, cause);
    told_found();
}

void life_first(bool with_fram)
{
    memset(image, 0xFF, sizeof image);
    memset(fram, 0xFF, sizeof fram);
    fram_fitted = with_fram;
    spoilt = false;
    power_on(0, RESET_POWER_ON);
    memory_first();
}

void life_again(uint8_t cause, uint32_t seed)
{
    uint64_t ticks = machine_ticks();
    memory_cut();
    if (!spoilt)
        machine_eeprom(image, seed);
    machine_fram(fram);
    power_on(ticks, cause);
    memory_found(spoilt);
}

/* From the first spoilt byte on the image is what is spoilt, until the board begins with it. */
void life_spoil(uint16_t at, uint8_t byte)
{
    if (!spoilt)
        machine_eeprom(image, 0);
    spoilt = true;
    image[at % PORT_EEPROM_SIZE] = byte;
}

uint8_t life_spoilt(uint16_t at)
{
    return image[at % PORT_EEPROM_SIZE];
}
