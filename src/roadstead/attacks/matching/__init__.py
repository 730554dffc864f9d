"""What an attacker knows of people, laid next to what a release shows of them."""
