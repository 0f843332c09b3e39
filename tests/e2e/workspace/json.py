raise SystemExit("code of the open folder was run")
