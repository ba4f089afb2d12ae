"""The certificate of a machine: what of it is identical to the model that was tested and certified, 13:47-20.15(d)."""
