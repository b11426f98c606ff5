"""The no-U-turn sampler with dual averaging of the step size."""

import numpy as np

# An energy error beyond this is a divergence.
MAX_ERROR = 1000.0


def nuts(value_and_gradient, start, n_draws, n_warmup, rng, *, target=0.8, max_depth=10):
    """Return draws of a log density, (n_draws, n_dim), after a warm-up (algorithm 6)."""
    point, draws = np.array(start, dtype=float), np.empty((n_draws, len(start)))
    height, gradient = value_and_gradient(point)
    step, center, error, smooth = 0.1, np.log(1.0), 0.0, 0.0
    for i in range(n_warmup + n_draws):
        tree = _Tree(value_and_gradient, step, rng)
        point, height, gradient = tree.sample(point, height, gradient, max_depth)
        if i < n_warmup:
            rate = 1.0 / (i + 11.0)
            error = (1.0 - rate) * error + rate * (target - tree.accepted / tree.n_leaves)
            log_step = center - np.sqrt(i + 1.0) / 0.05 * error
            share = (i + 1.0) ** -0.75
            smooth = share * log_step + (1.0 - share) * smooth
            step = np.exp(log_step if i < n_warmup - 1 else smooth)
        else:
            draws[i - n_warmup] = point
    return draws


class _Tree:
    def __init__(self, value_and_gradient, step, rng):
        self.value_and_gradient, self.step, self.rng = value_and_gradient, step, rng
        self.accepted, self.n_leaves = 0.0, 0

    def sample(self, point, height, gradient, max_depth):
        """Return the next point of the chain, its log density and gradient."""
        momentum = self.rng.standard_normal(len(point))
        self.energy = height - 0.5 * momentum @ momentum
        self.slice = self.energy - self.rng.exponential()
        ends = [(point, momentum, gradient)] * 2
        chosen, n_valid = (point, height, gradient), 1
        for depth in range(max_depth):
            side = int(self.rng.random() < 0.5)
            first, last, other, n_other, going = self._build(*ends[side], 2 * side - 1, depth)
            ends[side] = (first, last)[side]
            if going and self.rng.random() < n_other / n_valid:
                chosen = other
            n_valid += n_other
            if not going or _turns(*ends):
                break
        return chosen

    def _build(self, point, momentum, gradient, sign, depth):
        """Return the two ends, a draw, how many points count, and whether to go on."""
        if depth == 0:
            return self._leaf(point, momentum, gradient, sign)
        first, last, chosen, n_valid, going = self._build(
            point, momentum, gradient, sign, depth - 1
        )
        if going:
            end = last if sign > 0 else first
            one, two, other, n_other, going = self._build(*end, sign, depth - 1)
            first, last = (first, two) if sign > 0 else (one, last)
            if n_other and self.rng.random() < n_other / (n_valid + n_other):
                chosen = other
            n_valid += n_other
            going = going and not _turns(first, last)
        return first, last, chosen, n_valid, going

    def _leaf(self, point, momentum, gradient, sign):
        momentum = momentum + 0.5 * sign * self.step * gradient
        point = point + sign * self.step * momentum
        height, gradient = self.value_and_gradient(point)
        momentum = momentum + 0.5 * sign * self.step * gradient
        energy = height - 0.5 * momentum @ momentum
        self.accepted += min(1.0, np.exp(energy - self.energy))
        self.n_leaves += 1
        end = (point, momentum, gradient)
        valid = int(self.slice <= energy)
        return end, end, (point, height, gradient), valid, self.slice < energy + MAX_ERROR


def _turns(first, last) -> bool:
    along = last[0] - first[0]
    return along @ first[1] < 0.0 or along @ last[1] < 0.0
