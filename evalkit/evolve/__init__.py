"""Loops that change agents: one engine, a crash-safe run folder, a ledger, and DUET on top."""
