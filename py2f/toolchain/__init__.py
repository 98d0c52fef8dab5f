"""Compilers and the build tool."""
