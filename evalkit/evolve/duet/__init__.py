"""DUET: a solver and its grader evolve in turns, on tasks whose scores still move."""
