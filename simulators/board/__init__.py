"""The emulated board: the real firmware, to the cycle, in the time of whoever runs it.

`emulated` is the chip, `lockstep` couples one to a virtual loop by a pty, `link_faults` spoils what goes over the wire,
`lines_to_pins` drives its pins, and `serve` lets one live on a pty of its own.
"""
