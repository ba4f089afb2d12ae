"""Card equipment: shoes, shufflers and card readers."""
