"""Caribbean stud, let it ride and joker seven: hands of a fixed number of cards."""
