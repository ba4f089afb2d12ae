"""What can go wrong with a dice cage, by name."""

from __future__ import annotations

from simulators.device_faults import DeviceFault, by_name

CAGE_FAULTS = by_name(
    (
        DeviceFault("too_few_inversions", True, "The cage is inverted once or twice.", "Void: too_few_inversions."),
        DeviceFault(
            "rocked",
            True,
            "The cage is rocked to and fro, and never stands the other way up.",
            "Void: too_few_inversions.",
        ),
        DeviceFault(
            "paused", True, "The dice come to rest between the inversions.", "Void: too_few_inversions, for each part."
        ),
        DeviceFault(
            "askew",
            True,
            "The cage is let go on its side.",
            "With an encoder cage_askew; a tilt switch cannot see it, but the dealer can.",
        ),
        DeviceFault("die_cocked", True, "A die leans on the wire or on another.", "Void: dice_not_flat."),
        DeviceFault("die_stacked", True, "A die lies on another.", "Void: dice_not_flat or die_on_die."),
        DeviceFault("die_off", True, "A die falls out of the cage.", "Void: die_off_table."),
        DeviceFault(
            "knocked_at_rest",
            True,
            "Somebody knocks at the cage after the dice have come to rest.",
            "DiceStirred: whatever was read of them before is in doubt.",
        ),
        DeviceFault("drumming", True, "A hand drums on the cage, and the dice do not lie.", "DiceRestless; no rest."),
        DeviceFault("turn_dead", False, "The sensor of turning never changes.", "Void, or sensor_stuck."),
        DeviceFault("shake_dead", False, "The shake sensor feels nothing.", "Unresolved: sensor_stuck, and a fault."),
        DeviceFault("shake_stuck", False, "The shake sensor stays high.", "Unresolved: sensor_stuck, and a fault."),
        DeviceFault("lost_pulse", False, "One pulse of a line of turning is lost.", "The tumble, or too few."),
        DeviceFault("bounce", False, "The contacts bounce.", "The tumble."),
        DeviceFault("noise_burst", False, "Short false pulses on the lines.", "The tumble, or a doubt."),
        DeviceFault("cable_pulled", False, "The cable comes out and is put back.", "Unresolved, and a fault."),
    )
)
"""Every fault, in the order in which they are listed."""
