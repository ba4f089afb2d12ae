"""One module a device: turns edges and frames into observations, and drives outputs. Knows no round."""
