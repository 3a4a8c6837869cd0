"""Sequences: calls made one after the other on one freshly opened device, each of them judged."""
