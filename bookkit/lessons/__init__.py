"""What the chapters train and ask: corpora, the training loop, experiments by subject, exercises."""
