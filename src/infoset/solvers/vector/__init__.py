"""Hold'em in vector form: a public betting tree times hands, sixteen hands at a time."""
