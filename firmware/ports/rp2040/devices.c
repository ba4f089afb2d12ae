/* Outputs with a duty, the converter, what stands for an EEPROM, the watchdog, and the main loop. */
#include "pico.h"

#include "board.h"
#include "build_note.h"
#include "kind.h"
#include "messages.h"
#include "port.h"

/* --- outputs -------------------------------------------------------------------------------------------------------- */

#define PWM_PIN 0xB3U /* GP5: channel B of slice 2 */
#define PWM_CONTROL REG(PWM + 0x28U)
#define PWM_DIVISOR REG(PWM + 0x2CU)
#define PWM_COMPARE REG(PWM + 0x34U)
#define PWM_TOP REG(PWM + 0x38U)
#define PWM_ON 1U
#define PWM_1_MHZ (SYSTEM_HZ / 1000000U << 4)

bool port_dims(uint8_t pin)
{
    return pin == PWM_PIN;
}

void port_output(uint8_t pin, uint8_t value)
{
    if (pin != PWM_PIN || value == 0U || value == UINT8_MAX) {
        port_pin_write(pin, value);
        if (pin == PWM_PIN) {
            IO_CONTROL(port_gpio(PWM_PIN)) = FUNCTION_SIO; /* the pin is right already */
            PWM_CONTROL = 0;
        }
        return;
    }
    PWM_COMPARE = (uint32_t)value << 16;
    PWM_DIVISOR = PWM_1_MHZ;
    PWM_TOP = UINT8_MAX - 1U; /* 1 MHz / 255: 3.9 kHz, as the Nano's; a new value begins with a new period */
    PWM_CONTROL = PWM_ON;
    IO_CONTROL(port_gpio(PWM_PIN)) = FUNCTION_PWM;
}

/* --- the converter -------------------------------------------------------------------------------------------------- */

#define ADC_CONTROL REG(ADC + 0x0U)
#define ADC_RESULT REG(ADC + 0x4U)
#define ADC_ON (1U << 0)
#define ADC_START (1U << 2)
#define ADC_READY (1U << 8)
#define ADC_CHANNEL_SHIFT 12U
#define FIRST_ADC_GPIO 26U

bool converting;

/* It calibrates itself when it is switched on, and takes no order before that: so it is on long before anything is measured. */
static void adc_begin(void)
{
    ADC_CONTROL = ADC_ON;
}

/* Channels 0 to 2 are GP26 to GP28, channel 3 a third of what supplies the Pico. No kind has both C4 and A6. */
static uint32_t channel_of(uint8_t pin)
{
    switch (pin) {
    case 0xC2:
        return 0;
    case 0xC3:
        return 1;
    case 0xC5:
        return 3;
    default: /* C4, A6 */
        return 2;
    }
}

void port_adc_start(uint8_t pin)
{
    uint32_t channel = channel_of(pin);
    PAD(FIRST_ADC_GPIO + channel) = 0; /* neither a digital input nor a resistor */
    ADC_CONTROL = ADC_ON | ADC_START | channel << ADC_CHANNEL_SHIFT;
    converting = true;
}

bool port_adc_take(uint16_t *value)
{
    if ((ADC_CONTROL & ADC_READY) == 0U)
        return false;
    converting = false;
    *value = (uint16_t)(ADC_RESULT >> 2); /* of its 12 bits */
    return true;
}

/* --- non-volatile memory -------------------------------------------------------------------------------------------- */

/* The chip has none: it is the second KB of the FRAM. A kind that keeps all there reads it as if that took no time, so its bytes
 * are in RAM too, and one that was written is read back. Without a FRAM all is as erased, and the store finds that nothing is kept.
 * Where the kind has its counters in the FRAM nothing is written from the first read that failed on: what is there is not known,
 * and the store must find that it cannot keep anything rather than begin anew beside what it had. */
static uint8_t eeprom[PORT_EEPROM_SIZE];
static bool in_ram;

static void eeprom_begin(void)
{
    for (uint32_t at = 0; at < PORT_EEPROM_SIZE; at++)
        eeprom[at] = UINT8_MAX;
    port_fram_begin();
    uint32_t count = kind_facts.fram ? 1U : PORT_EEPROM_SIZE;
    in_ram = !fram_read(PORT_EEPROM_SIZE, eeprom, count) || !kind_facts.fram;
}

bool port_eeprom_ready(void)
{
    return true;
}

uint8_t port_eeprom_read(uint16_t at)
{
    uint8_t byte = eeprom[at];
    if (!in_ram)
        in_ram = !fram_read((uint16_t)(PORT_EEPROM_SIZE + at), &byte, 1);
    return byte;
}

void port_eeprom_write(uint16_t at, uint8_t byte)
{
    uint8_t kept;
    if (in_ram && kind_facts.fram)
        return;
    if (port_fram_write((uint16_t)(PORT_EEPROM_SIZE + at), byte) && port_fram_read((uint16_t)(PORT_EEPROM_SIZE + at), &kept))
        eeprom[at] = kept;
}

/* --- reset and watchdog --------------------------------------------------------------------------------------------- */

/* Where the program hung, as the address of a halfword of the flash: kept over a reset by the watchdog, and cleared by others. */
#define HUNG_AT WATCHDOG_SCRATCH(0)
#define HUNG_CHECK WATCHDOG_SCRATCH(1)
#define HANG_CHECK 0xA53CC35AU
/* Written when this program sets the watchdog: the boot ROM restarts the chip by it too, when it has written an image. */
#define OURS WATCHDOG_SCRATCH(2)
#define OURS_MARK 0x57A7C4EDU

extern const uint8_t program_in_ram[];
extern const uint8_t program_in_ram_end[];
extern const uint8_t program_offset[]; /* its address is where in the flash the program begins */

static uint8_t reset_cause;
static uint16_t hung_at;

static void reset_begin(void)
{
    if (WATCHDOG_REASON != 0U && OURS == OURS_MARK) {
        reset_cause = RESET_WATCHDOG;
        if ((HUNG_AT ^ HUNG_CHECK) == HANG_CHECK)
            hung_at = (uint16_t)HUNG_AT;
    } else if ((CHIP_RESET & WAS_RUN_PIN) != 0U) {
        reset_cause = RESET_POWER_ON | RESET_EXTERNAL; /* the last alone is kept, and a supervisor ends each power-on with this pin */
    } else if ((CHIP_RESET & WAS_POWER_ON) != 0U) {
        reset_cause = RESET_POWER_ON; /* or a supply that sagged: the chip does not tell these apart */
    }
    HUNG_CHECK = 0;
}

uint8_t port_reset_cause(void)
{
    return reset_cause;
}

uint16_t port_hung_at(void)
{
    return hung_at;
}

/* From the frame that the interrupt left on the stack. */
#define FRAME_PROGRAM_COUNTER 6U

void note_and_restart(const uint32_t *frame) __attribute__((used));
void note_and_restart(const uint32_t *frame)
{
    uintptr_t at = frame[FRAME_PROGRAM_COUNTER];
    if (at >= (uintptr_t)program_in_ram && at < (uintptr_t)program_in_ram_end) {
        HUNG_AT = (at - (uintptr_t)program_in_ram + (uintptr_t)program_offset) / 2U;
        HUNG_CHECK = HUNG_AT ^ HANG_CHECK;
    }
    WATCHDOG_CONTROL = WATCHDOG_TRIGGER;
    for (;;) {
    }
}

/* The alarm of a program that hangs with interrupts on, and a fault of the processor: both note where it is. */
__attribute__((naked)) void on_hang(void)
{
    __asm__ volatile("mov  r0, sp\n\t"
                     "ldr  r1, =note_and_restart\n\t"
                     "bx   r1\n\t"
                     ".pool");
}

__attribute__((naked)) void on_fault(void)
{
    __asm__ volatile("mov  r0, sp\n\t"
                     "ldr  r1, =note_and_restart\n\t"
                     "bx   r1\n\t"
                     ".pool");
}

#define PERIOD_US (PORT_WATCHDOG_MS * 1000U)
#define POWER_WATCHED REG(POWER_ON_MACHINE + 0x8U) /* what the watchdog resets */

static bool watching;

void port_watchdog_begin(void)
{
    POWER_WATCHED = ALL_BUT_OSCILLATORS;
    OURS = OURS_MARK;
    watching = true;
    port_watchdog_pat();
    WATCHDOG_CONTROL = WATCHDOG_ENABLE;
}

/* The alarm first, and a reset as long after it, should interrupts be off. */
void port_watchdog_pat(void)
{
    if (!watching)
        return;
    WATCHDOG_LOAD = 2U * PERIOD_US * WATCHDOG_STEPS_A_US;
    TIMER_ALARM(ALARM_HANG) = TIMER_NOW + PERIOD_US;
}

uint8_t port_image_hash(uint8_t at)
{
    return build_note.hash[at];
}

/* --- the main loop -------------------------------------------------------------------------------------------------- */

static const uint8_t PINS[] = {0xB0, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xC2, 0xC3, 0xC4, 0xC5};

int main(void)
{
    reset_begin();
    for (uint32_t at = 0; at < sizeof PINS; at++) /* an output is low until it is one, as the chip leaves it after a reset */
        pin_begin(port_gpio(PINS[at]), FUNCTION_SIO, PAD_UNUSED);
    adc_begin();
    eeprom_begin(); /* up to 24 ms, and before anything is received: what is answered is never older than the report `boot` */
    time_begin();
    line_begin();
    inputs_begin();
    __asm__ volatile("cpsie i" : : : "memory");
    board_begin();
    for (;;)
        port_idle(board_poll());
}
