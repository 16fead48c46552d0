"""What is left when things go wrong around us: kills, signals, full disks, damaged caches."""
