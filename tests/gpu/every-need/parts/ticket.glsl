/* Workgroups number themselves as they come; the last one arms the counter again. */
layout(set = 1, binding = 1) buffer Counters
{
    uint counters[]; /* by copy of the sets: workgroups that have come; zero between runs */
};

shared uint ticket;

uint take_ticket(int counter, uint n_groups)
{
    if (gl_LocalInvocationIndex == 0) {
        ticket = atomicAdd(counters[counter], 1u);
        if (ticket == n_groups - 1u) {
            atomicExchange(counters[counter], 0u);
        }
    }
    barrier();
    return ticket;
}
