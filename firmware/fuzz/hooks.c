/* Between the core, the kind and the port: the linker puts `__wrap_f` where a file calls the `f` of another
 * (-Wl,--wrap=f), and `__real_f` is the `f` itself. */
#include "edge_store.h"
#include "edges.h"
#include "fuzz.h"
#include "quadrature.h"
#include "samples.h"

#define HOOK(result, name, ...)         \
    result __real_##name(__VA_ARGS__);  \
    result __wrap_##name(__VA_ARGS__);  \
    result __wrap_##name(__VA_ARGS__)

static uint64_t turns; /* of the main loop, of all boards */

/* --- the main loop -------------------------------------------------------------------------------------------------- */

/* The first thing that a turn of the main loop does. */
HOOK(void, port_watchdog_pat, void)
{
    host_turn_ends();
    edges_model_turn_ends();
    guard_turn_begins();
    memory_turn_ends();
    turns++;
    __real_port_watchdog_pat();
}

/* --- the serial line ------------------------------------------------------------------------------------------------ */

HOOK(bool, port_rx, uint8_t *byte, uint32_t *ticks)
{
    bool came = __real_port_rx(byte, ticks);
    if (came)
        host_heard(*byte, *ticks);
    return came;
}

HOOK(void, port_tx, uint8_t byte)
{
    MUST(port_tx_room() != 0U, "a byte is sent, and there is no room");
    told_byte(byte);
    __real_port_tx(byte);
}

/* --- inputs --------------------------------------------------------------------------------------------------------- */

HOOK(bool, port_snapshot_take, struct port_snapshot *to)
{
    bool taken = __real_port_snapshot_take(to);
    if (taken)
        edges_model_snapshot(to);
    return taken;
}

HOOK(void, port_listen, uint8_t inputs, uint8_t pull_ups, struct port_snapshot *found)
{
    __real_port_listen(inputs, pull_ups, found);
    edges_model_listen(found);
}

HOOK(void, edge_store_clear, uint32_t now)
{
    edges_model_clear(now);
    __real_edge_store_clear(now);
}

HOOK(void, edge_store_add, uint8_t line, bool level, uint32_t ticks)
{
    uint16_t lost = edge_store_lost();
    __real_edge_store_add(line, level, ticks);
    edges_model_add(line, level, ticks, lost == edge_store_lost());
}

HOOK(void, edge_store_lose, uint8_t edges)
{
    edges_model_lose(edges);
    __real_edge_store_lose(edges);
}

/* --- outputs -------------------------------------------------------------------------------------------------------- */

HOOK(void, port_output, uint8_t pin, uint8_t value)
{
    guard_pin(pin, value);
    __real_port_output(pin, value);
}

HOOK(void, port_pin_write, uint8_t pin, uint8_t level)
{
    bool rises = level != 0U && machine_pin(pin) == 0U;
    guard_pin(pin, level != 0U ? UINT8_MAX : 0U);
    __real_port_pin_write(pin, level);
    if (rises)
        world_step(pin);
}

HOOK(uint8_t, outputs_set, uint8_t number, uint8_t value, uint32_t for_ms)
{
    uint8_t before = outputs_value(number);
    uint8_t why = __real_outputs_set(number, value, for_ms);
    if (why == 0U)
        guard_set(number, before, value, for_ms);
    else
        MUST(before == outputs_value(number), "output %u was refused, and changed", number);
    return why;
}

HOOK(void, outputs_all_safe, enum safe_why why)
{
    const struct wire_frame *frame = host_frame();
    bool told = frame && (frame->id == COMMAND_OPEN || frame->id == COMMAND_ALL_SAFE);
    MUST(why == SAFE_DEADMAN || told, "all are made safe without a report");
    __real_outputs_all_safe(why);
    guard_all_safe();
}

/* --- commands: only what was commanded is done, and once ------------------------------------------------------------------ */

static void must_be_told(uint8_t id)
{
    const struct wire_frame *command = host_command();
    MUST(command && command->id == id, "command %u is carried out, and was not sent", id);
}

HOOK(uint8_t, kind_command, uint8_t id, const uint8_t *fields)
{
    static uint64_t turn_before;
    uint16_t on = outputs_on();
    must_be_told(id);
    MUST(turn_before != turns, "command %u is carried out twice", id);
    turn_before = turns;
    for (uint8_t i = 0; i < host_command()->size; i++)
        MUST(fields[i] == host_command()->fields[i], "field byte %u of command %u is %u", i, id, fields[i]);
    uint8_t why = __real_kind_command(id, fields);
    MUST(why == 0U || on == outputs_on(), "command %u is refused because of %u, and outputs changed", id, why);
    return why;
}

HOOK(uint8_t, kind_set, uint8_t output, uint8_t value)
{
    must_be_told(COMMAND_SET);
    MUST(output == host_command()->fields[0] && value == host_command()->fields[1], "output %u is set to %u", output, value);
    return __real_kind_set(output, value);
}

HOOK(void, edges_watch, uint8_t inputs, uint8_t pull_ups)
{
    const struct wire_frame *frame = host_frame();
    MUST(frame, "watches %02X without a report", inputs);
    if (frame->number != 0U || frame->id != COMMAND_OPEN) {
        must_be_told(COMMAND_WATCH);
        MUST(inputs == frame->fields[0] && pull_ups == frame->fields[1], "watches %02X", inputs);
    }
    edges_model_watch(inputs);
    __real_edges_watch(inputs, pull_ups);
    edges_model_watching();
}

HOOK(bool, edge_store_again, uint32_t number, uint32_t *first)
{
    must_be_told(COMMAND_EDGES_FROM);
    return __real_edge_store_again(number, first);
}

HOOK(bool, store_set_serial, uint32_t serial)
{
    must_be_told(COMMAND_NAME_BOARD);
    bool begun = __real_store_set_serial(serial);
    if (begun)
        memory_named(serial);
    return begun;
}

HOOK(bool, store_note, const uint8_t *note)
{
    bool begun = __real_store_note(note);
    if (begun)
        memory_noted(note);
    return begun;
}
