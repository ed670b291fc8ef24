"""Everything that fetches from the network, behind one guard."""
