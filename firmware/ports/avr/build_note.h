/* What names the image in the flash: firmware/build_id.py finds the number behind the mark. */
#ifndef FELTWIRE_BUILD_NOTE_H
#define FELTWIRE_BUILD_NOTE_H

#include <stdint.h>

struct build_note {
    uint8_t mark[8];
    uint32_t build;
};

extern const __flash struct build_note build_note;

#endif
