"""The equipment of dice tables: cage, chute, shakers, keypad and reading board."""
