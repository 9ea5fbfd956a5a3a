"""Embedding models whose weights come inside packages, run by numpy alone: files, tokenizers, forward pass."""
