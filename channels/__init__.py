"""The doors: one module or folder a channel. They never import each other."""
