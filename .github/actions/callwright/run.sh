#!/usr/bin/env bash
# Installs Callwright where that is asked for, checks, writes a SARIF log if one is wanted, and says how it went.
# Everything comes from the environment that action.yml sets; nothing of it is run as a program.
set -euo pipefail

callwright=callwright
if [[ -n "${CALLWRIGHT_ACTION_PACKAGE:-}" ]]; then
  home="${RUNNER_TEMP:-${TMPDIR:-/tmp}}/callwright-action"
  python="${CALLWRIGHT_ACTION_PYTHON:-python3}"
  "$python" -m venv "$home"
  bin="$home/bin"
  [[ -d "$bin" ]] || bin="$home/Scripts" # on Windows
  "$bin/python" -m pip install --quiet --disable-pip-version-check -- "$CALLWRIGHT_ACTION_PACKAGE"
  callwright="$bin/callwright"
fi

paths=()
while IFS= read -r line || [[ -n "$line" ]]; do
  line="${line%$'\r'}"
  [[ -z "${line//[[:space:]]/}" ]] || paths+=("$line")
done <<<"${CALLWRIGHT_ACTION_PATHS:-.}"
[[ ${#paths[@]} -gt 0 ]] || paths=(.)

# Words between spaces, and no file names made of `*` in them.
args=()
read -r -d '' -a args <<<"${CALLWRIGHT_ACTION_ARGS:-}" || true

code=0
"$callwright" check --output-format "${CALLWRIGHT_ACTION_FORMAT:-github}" ${args[@]+"${args[@]}"} -- "${paths[@]}" || code=$?

if [[ -n "${CALLWRIGHT_ACTION_SARIF:-}" && $code -le 1 ]]; then
  # What was found is remembered, so this costs little.
  "$callwright" check --output-format sarif --output-file "$CALLWRIGHT_ACTION_SARIF" --exit-zero \
    ${args[@]+"${args[@]}"} -- "${paths[@]}" || code=$?
  [[ $code -gt 1 ]] || echo "sarif-file=$CALLWRIGHT_ACTION_SARIF" >>"${GITHUB_OUTPUT:-/dev/null}"
fi

echo "exit-code=$code" >>"${GITHUB_OUTPUT:-/dev/null}"
if [[ $code -eq 1 && "${CALLWRIGHT_ACTION_FAIL:-true}" != true ]]; then
  exit 0
fi
exit "$code"
