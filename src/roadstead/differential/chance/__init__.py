"""Where chance enters: mechanisms with an exact distribution, and what they are made of."""
