"""Compiled local rules: how regrets become a strategy."""
