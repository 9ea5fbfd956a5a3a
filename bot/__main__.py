"""`python -m bot` is the same as `frontdesk`."""

from bot.cli import main

raise SystemExit(main())
