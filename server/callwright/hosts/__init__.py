"""Hosts: one file for each kind of document that holds calls; they yield passages and never read calls themselves."""
