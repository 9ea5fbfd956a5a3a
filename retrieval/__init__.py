"""The library: pages to chunks, questions to hits. Works alone: no model, no channel."""
