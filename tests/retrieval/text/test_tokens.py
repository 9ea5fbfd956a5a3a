"""Tokens are counted as OpenAI's models count them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from retrieval.text.tokens import count


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello world", 2), ("Hello, world!", 4), ("<|endoftext|>", 7), ("tiktoken is great!", 6)],
)
def test_tokens_are_those_of_o200k(text: str, tokens: int) -> None:
    assert count(text) == tokens


@pytest.mark.parametrize("before", ["", "/nowhere/at/all"])
def test_loading_the_table_leaves_the_environment_as_it_was(before: str) -> None:
    code = "import os; from retrieval.text.tokens import count; count('a'); print(os.environ.get('TIKTOKEN_CACHE_DIR', 'unset'))"
    environment = {name: value for name, value in os.environ.items() if name != "TIKTOKEN_CACHE_DIR"}
    environment |= {"TIKTOKEN_CACHE_DIR": before} if before else {}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (before or "unset")
