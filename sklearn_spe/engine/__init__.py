"""The label update: components, Laplace's approximation, importance weights, random effects."""
