/* Faults planted into rules, derived functions and batches; the product has no hook for them: tables and functions are
 * replaced at link time, and what the rig derives is spoilt in place. */
#ifndef TL_TESTS_SWEEP_PLANT_H
#define TL_TESTS_SWEEP_PLANT_H

#include "ir/ir.h"

unsigned sweep_fault_count(void);
const char *sweep_fault_name(unsigned);
/* The row that the fault is about; TL_OP_COUNT where it is about none. */
tl_opcode sweep_fault_row(unsigned);
void sweep_fault_plant(unsigned);

#endif
