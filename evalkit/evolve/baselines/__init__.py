"""Baselines under one protocol: SkillOpt, GEPA, direct generation, Parallel and Sequential."""
