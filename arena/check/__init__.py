"""`arena check`: tests one bot against everything that the protocol requires, and explains what fails."""
