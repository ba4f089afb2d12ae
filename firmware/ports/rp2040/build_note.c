/* The hash of the build, which firmware/build_id.py writes here once the image is linked. In a file of its own, so that no
 * compiler takes the zeros for granted. */
#include "build_note.h"

const struct build_note build_note __attribute__((used)) = {{'F', 'W', 'B', 'U', 'I', 'L', 'D', 2}, {0}};
