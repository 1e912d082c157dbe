"""Ways out besides the desk: a webhook for other systems, and a link by email where the user types the value."""
