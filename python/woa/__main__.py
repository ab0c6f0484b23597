"""`python -m woa`: the program of the package."""
from ._program import main

main()
