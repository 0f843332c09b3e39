"""What tests of several rooms share: case files and the engine seen through them."""
