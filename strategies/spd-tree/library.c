/* The library as engines have it, with volk's functions. */
#include <volk.h>

#include "lib/spd_tree.c"
#include "lib/spd_tree_plan.c"
