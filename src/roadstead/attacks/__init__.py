"""Attack releases before publication, and measure how much an attacker gains over guessing."""
