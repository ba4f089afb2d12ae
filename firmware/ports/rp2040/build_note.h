/* What names the image in the flash: firmware/build_id.py finds its hash behind the mark. */
#ifndef FELTWIRE_BUILD_NOTE_H
#define FELTWIRE_BUILD_NOTE_H

#include <stdint.h>

#include "port.h"

struct build_note {
    uint8_t mark[8];
    uint8_t hash[PORT_IMAGE_HASH];
};

extern const struct build_note build_note;

#endif
