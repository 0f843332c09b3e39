"""Template languages: one file each; they separate expressions and tags from the text around them."""
