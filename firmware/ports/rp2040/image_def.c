/* By this block in its first 4 KB the boot ROM of an RP2350 knows an image. It says no more than it must: the table of vectors is where
 * the image begins (RP2350 Datasheet, 5.9). An RP2040 has boot2.S in its place. */
#include <stdint.h>

__attribute__((section(".image_def"), used)) static const uint32_t image_def[] = {
    0xFFFFDED3U, /* a block begins */
    0x10210142U, /* its first item, of one word: an image that is executed, secure, by an Arm core of an RP2350 */
    0x000001FFU, /* its last item: one word was before it */
    0U,          /* the way to the next block: this is the only one */
    0xAB123579U, /* the block ends */
};
