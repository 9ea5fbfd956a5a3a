"""Measurements, side by side in one run. Nothing here is a test, and no figure is pinned."""
