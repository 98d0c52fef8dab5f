"""What lives in the host process: the compiled runtime, the loader libpy2f, and the cold path in Python."""
