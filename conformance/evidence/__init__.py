"""What a run leaves on disk: lines, folder, summary, coverage; reading it, and contradictions."""
