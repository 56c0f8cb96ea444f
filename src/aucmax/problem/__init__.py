"""The optimisation problem: data, moments of the classes, penalties, the objective and its certificate."""
