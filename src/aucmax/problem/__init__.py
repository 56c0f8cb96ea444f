"""What is minimised: data, moments of the classes, penalties, the objective and its certificate."""
