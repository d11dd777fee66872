/* show.h - who waits for whom, as text, CSV and JSON. */
#ifndef CROCPROF_WAITS_SHOW_H
#define CROCPROF_WAITS_SHOW_H

#include <stdio.h>

#include "waits/waits.h"

void wts_show_text(FILE *f, const wts_t *w);
void wts_show_csv(FILE *f, const wts_t *w); /* one line for each rank */
void wts_show_json(FILE *f, const wts_t *w);

#endif
