/* Included before each file of the board: its variables go where life.c finds them, to put them back as after a reset. */
#pragma clang section bss = "board_zeroed" data = "board_begun"
