"""The algorithms of the papers as their papers print them, each with the variants that were published."""
