"""``python -m roadstead`` is the command ``roadstead``."""

from roadstead.cli import main

if __name__ == "__main__":
    main()
