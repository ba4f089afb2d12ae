"""What a person does with a table beside play: checks, calibration, recording, trials of its outputs."""
