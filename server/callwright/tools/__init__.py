"""Tools: schemas, the registry and the sources they are read from. Knows nothing of calls or documents."""
