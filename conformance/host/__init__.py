"""What an NPU host has and lacks, and what of it goes into a bundle to be sent back."""
