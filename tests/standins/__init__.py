"""Local servers that stand in for outside services, spoken to over real HTTP on loopback."""
