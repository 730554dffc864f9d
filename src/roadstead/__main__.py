"""Run ``python -m roadstead`` as the command ``roadstead``."""

from roadstead.cli import main

if __name__ == "__main__":
    main()
