"""Products of ratios, which claims are about and `mipbench compare` does not write: all statistics
that the scripts have left. Ratios have 95 % intervals, as src/base/infer.c makes them: medians of runs, resampled by
runs and then by blocks of samples, from a seeded generator."""

import collections
import math
import random

LEVEL = 0.95
N_RESAMPLES = 2000
MIN_SAMPLES = 6  # fewer have no 95 % interval

# Student's t, two-sided 95 %, by degrees of freedom; the last stands for all beyond it.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)

# A figure and its interval; ci is None where there is too little data for one.
Figure = collections.namedtuple("Figure", "value ci")

# One factor of a ratio: the logarithms of its samples, run by run, and +1 or -1.
Factor = collections.namedtuple("Factor", "runs power")


def median_sorted(values):
    middle = len(values) // 2
    if len(values) % 2:
        return values[middle]
    return 0.5 * (values[middle - 1] + values[middle])


def median(values):
    return median_sorted(sorted(values))


def quantile_sorted(values, share):
    position = share * (len(values) - 1)
    below = min(int(position), len(values) - 2)
    return values[below] + (position - below) * (values[below + 1] - values[below])


def lag1(values):
    """Autocorrelation of neighbours; 0 of a constant."""
    mean = sum(values) / len(values)
    off = [value - mean for value in values]
    power = sum(x * x for x in off)
    return sum(a * b for a, b in zip(off, off[1:])) / power if power > 0 else 0.0


def block_length(values):
    """Above 1 only where neighbours resemble each other beyond what chance does."""
    n = len(values)
    return math.ceil(n ** (1 / 3)) if lag1(values) > 1.645 / math.sqrt(n) else 1


def normal_quantile(tail):
    low, high = 0.0, 40.0
    for _ in range(60):
        z = 0.5 * (low + high)
        low, high = (z, high) if 0.5 * math.erfc(z / math.sqrt(2)) > tail else (low, z)
    return low


def expanded_tail(n_blocks):
    """Percentiles of few blocks are too narrow: moved out to where Student's t has them
    (Hesterberg 2015), t by the expansion of Cornish and Fisher."""
    freedom = max(n_blocks - 1.0, 3.0)
    z = normal_quantile(0.5 * (1.0 - LEVEL))
    t = (z + (z ** 3 + z) / (4 * freedom)
         + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2))
    return 0.5 * math.erfc(t * math.sqrt((freedom + 1) / freedom) / math.sqrt(2))


class Run:
    """One run's samples, ready for resampling: blocks that go round at the end."""

    def __init__(self, values):
        self.values = values
        self.length = block_length(values)
        self.twice = values + values
        self.median = median(values)

    def n_blocks(self):
        return len(self.values) / self.length

    def resampled_median(self, rng):
        n, length = len(self.values), self.length
        if length == 1:
            return median(rng.choices(self.values, k=n))
        drawn = []
        for start in rng.choices(range(n), k=math.ceil(n / length)):
            drawn += self.twice[start:start + length]
        return median(drawn[:n])


def resampled(runs, rng):
    chosen = rng.choices(runs, k=len(runs)) if len(runs) > 1 else runs
    return median([run.resampled_median(rng) for run in chosen])


def ratio(factors, seed):
    """The product of the factors: of each, the median of its runs' medians."""
    sides = [([Run(values) for values in factor.runs], factor.power) for factor in factors]
    value = math.exp(sum(power * median([run.median for run in runs]) for runs, power in sides))
    if any(len(run.values) < MIN_SAMPLES for runs, _ in sides for run in runs):
        return Figure(value, None)
    rng = random.Random(seed)
    drawn = sorted(math.exp(sum(power * resampled(runs, rng) for runs, power in sides))
                   for _ in range(N_RESAMPLES))
    tail = expanded_tail(min(sum(run.n_blocks() for run in runs) for runs, _ in sides))
    return Figure(value, (quantile_sorted(drawn, tail), quantile_sorted(drawn, 1 - tail)))


def mean_of_runs(values):
    """A figure that each run gives once; one run alone says nothing of its spread."""
    n = len(values)
    mean = sum(values) / n
    if n < 2:
        return Figure(mean, None)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1) / n)
    half = STUDENT[min(n - 1, len(STUDENT)) - 1] * spread
    return Figure(mean, (mean - half, mean + half))
