"""`python -m bot` is the same as `frontdesk`."""

from bot.cli.main import main

raise SystemExit(main())
