"""The bias watch: whether dice and wheels fall as fair ones do. It warns, and changes no outcome."""
