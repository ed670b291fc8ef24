"""What the gateway itself keeps in the database."""
