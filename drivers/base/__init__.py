"""What every device driver is made of: the protocols, the specification of a device, contacts and sensor health."""
