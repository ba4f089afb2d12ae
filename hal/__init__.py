"""What a computer offers a table: time, lines, serial links and captures. Knows no device."""
