"""`python -m webapp` is the same as `strata`."""

from webapp.cli import main

if __name__ == "__main__":
    main()
