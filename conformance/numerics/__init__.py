"""What a sum may come out as: exact values, declared orders, certificates and accepted sets."""
