/* The number of the build, which firmware/build_id.py writes here once the image is linked. In a file of its own, so that no
 * compiler takes the 0 for granted. */
#include "build_note.h"

const __flash struct build_note build_note __attribute__((used)) = {{'F', 'W', 'B', 'U', 'I', 'L', 'D', 1}, 0};
