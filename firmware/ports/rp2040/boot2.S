/* The second-stage boot loader: the boot ROM copies the first 256 bytes of the flash into RAM, compares their checksum (the last
 * four, which uf2.py writes), and runs them. They let the flash appear in the memory, and begin the program behind them.
 *
 * Any SPI flash answers the command 03h: plain reads, at a quarter of the chip's clock. It is slow, and read once: the program
 * runs in RAM. Registers: RP2040 Datasheet 4.10.13. */
    .syntax unified
    .cpu    cortex-m0plus
    .thumb

    .section .boot2, "ax"
    .global boot2
    .thumb_func
boot2:
    ldr     r0, =0x18000000         /* the SSI */
    movs    r1, #0
    str     r1, [r0, #0x08]         /* off, to be changed */
    movs    r1, #4
    str     r1, [r0, #0x14]         /* the clock, divided by 4 */
    ldr     r1, =0x001F0300         /* 32 bits of data; a command and an address, then reading */
    str     r1, [r0, #0x00]
    movs    r1, #0
    str     r1, [r0, #0x04]         /* one word each time */
    ldr     r2, =0x180000F4
    ldr     r1, =0x03000218         /* the command 03h of 8 bits, an address of 24, each by one wire */
    str     r1, [r2]
    movs    r1, #1
    str     r1, [r0, #0x08]         /* on */
    ldr     r0, =0x10000100         /* the table of vectors: the stack, and where to begin */
    ldr     r1, =0xE000ED08
    str     r0, [r1]
    ldmia   r0!, {r1, r2}
    msr     msp, r1
    bx      r2
    .pool
