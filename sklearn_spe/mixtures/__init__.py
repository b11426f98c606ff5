"""Mixtures p(score, label | parameters), which map unconstrained vectors to parameters."""
