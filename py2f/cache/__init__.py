"""The cache of compiled libraries: immutable, checksummed directories, published by one rename."""
