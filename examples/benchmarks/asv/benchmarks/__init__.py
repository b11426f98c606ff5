"""Benchmarks of airspeed velocity."""
