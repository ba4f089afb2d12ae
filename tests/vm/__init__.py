"""The product on a real kernel: user-mode Linux with simulated GPIO chips, systemd, and disks that lose power."""
