"""What users put on their functions."""
