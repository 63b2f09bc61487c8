"""The solver on the public form: tables by hand."""
