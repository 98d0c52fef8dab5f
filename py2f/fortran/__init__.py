"""What Fortran sources declare: read with fparser, never guessed."""
