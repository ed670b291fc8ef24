"""Domain agents at work for one run."""
