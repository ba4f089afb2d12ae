"""What the commands of several packages share: options, exit codes, services on this computer, and printed reports."""
