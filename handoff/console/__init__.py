"""Console: the hand-off desk in the browser, and the page to try the loop on."""
