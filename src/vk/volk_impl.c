/* volk's implementation: the loader is opened at run time, so that the program can say in a
 * sentence that there is none. */
#define VOLK_IMPLEMENTATION
#include <volk.h>
