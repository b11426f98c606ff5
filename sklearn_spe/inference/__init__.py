"""Inference: weighted draws from any log density.

A target is a pair of callables on the whole real line, vectorized over rows:

``log_density(u: (m, n_dim)) -> (m,)``
    The unnormalized log density: -inf outside the support, never nan.
``value_and_gradient(u: (m, n_dim)) -> ((m,), (m, n_dim))``
    The same with its gradient; only used by `find_modes`.

This package is independent of the origin of a target. The caller passes a `numpy.random.Generator`,
and issues warnings based on `Draws.ess` and `Draws.pareto_k`.
"""
