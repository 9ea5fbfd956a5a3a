"""Quality as a gate: figures that may only rise."""
