"""Fast paths: what is plainly clean is recognised quickly."""
