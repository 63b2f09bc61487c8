"""Compiled: how regrets become a strategy."""
