/* Faults planted into the transforms while the test runs; the product has no hook for them.
 *
 * The tables of rules, the activity analysis and the choice of what is kept are replaced at link time (--wrap) by
 * functions that call the real ones and then spoil what they gave; the derived functions themselves are spoilt in
 * place. */
#ifndef GEN_PLANT_H
#define GEN_PLANT_H

#include "interp_lane.h"

unsigned gen_fault_count(void);
const char *gen_fault_name(unsigned fault);
/* From now on, in this process; UINT_MAX: none. */
void gen_fault_plant(unsigned fault);
/* Spoils what was derived, where the planted fault is of that kind. */
void gen_fault_spoil(gen_derived *);

#endif
