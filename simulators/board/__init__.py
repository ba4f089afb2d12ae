"""The emulated board: the real firmware, cycle by cycle, in the caller's time.

`emulated` is the chip, `lockstep` couples it to a virtual loop by a pty, `link_faults` corrupts its serial link,
`lines_to_pins` drives its pins, and `serve` runs it on a pty in real time.
"""
