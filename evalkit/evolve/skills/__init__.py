"""Feedback-conditioned skill evolution: one parent, three views of its outcomes, one selection."""
