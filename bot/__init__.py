"""The application: conversation engine, memory, prompt, model, missing-content log, console, scheduler."""
