#!/usr/bin/env bash
# Installs Callwright unless it is installed, checks all or the changed files, writes a SARIF log if one is wanted, and
# reports the exit code. Everything comes from the environment that action.yml sets; nothing of it is run as a program.
set -euo pipefail

folder="${RUNNER_TEMP:-${TMPDIR:-/tmp}}/callwright"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
version="${CALLWRIGHT_ACTION_VERSION:-}"
extras="${CALLWRIGHT_ACTION_EXTRAS:-}"
python="${CALLWRIGHT_ACTION_PYTHON:-python3}"
callwright=callwright

fail() {
  echo "::error title=Callwright::$1"
  echo "exit-code=2" >>"${GITHUB_OUTPUT:-/dev/null}"
  exit 2
}

if [[ "${CALLWRIGHT_ACTION_CACHE:-false}" == true ]]; then
  export CALLWRIGHT_CACHE_DIR="$folder/cache/diagnostics" PIP_CACHE_DIR="$folder/cache/pip"
fi

if [[ "$version" != installed ]]; then
  if [[ -z "$version" ]]; then
    version="$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$here/../../server/callwright/__init__.py")"
  fi
  [[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+((a|b|rc)[0-9]+)?$ ]] || fail "\`version\` is not a version of Callwright, such as 0.1.0."
  [[ "$extras" =~ ^[a-z,-]*$ ]] || fail "\`extras\` are names separated by commas, such as templates,mcp."
  "$python" -m venv "$folder/environment"
  bin="$folder/environment/bin"
  [[ -d "$bin" ]] || bin="$folder/environment/Scripts" # on Windows
  python="$bin/python"
  "$python" -m pip install --quiet --disable-pip-version-check -- "callwright${extras:+[$extras]}==$version"
  callwright="$bin/callwright"
fi

paths=()
while IFS= read -r line || [[ -n "$line" ]]; do
  line="${line%$'\r'}"
  [[ -z "${line//[[:space:]]/}" ]] || paths+=("$line")
done <<<"${CALLWRIGHT_ACTION_PATHS:-.}"
[[ ${#paths[@]} -gt 0 ]] || paths=(.)

# Words between spaces; a `*` in them is not replaced by file names.
args=()
read -r -d '' -a args <<<"${CALLWRIGHT_ACTION_ARGS:-}" || true

if [[ "${CALLWRIGHT_ACTION_CHANGED:-false}" == true ]]; then
  listed="$folder/listed"
  mkdir -p "$folder"
  code=0
  "$callwright" check --show-files ${args[@]+"${args[@]}"} -- "${paths[@]}" >"$listed" || code=$?
  if [[ $code -gt 1 ]]; then
    echo "exit-code=$code" >>"${GITHUB_OUTPUT:-/dev/null}"
    exit "$code"
  fi
  "$python" "$here/changed.py" "$listed" >"$folder/changed"
  if [[ "$(head -n 1 "$folder/changed")" == changed ]]; then
    paths=()
    while IFS= read -r line; do
      paths+=("$line")
    done < <(tail -n +2 "$folder/changed")
    # Nothing is left to check: an empty text has no diagnostics, and the SARIF log is one without results.
    [[ ${#paths[@]} -gt 0 ]] || args+=(--stdin-filename nothing.prompt)
    [[ ${#paths[@]} -gt 0 ]] || paths=(-)
  fi
fi

code=0
"$callwright" check --output-format "${CALLWRIGHT_ACTION_FORMAT:-github}" ${args[@]+"${args[@]}"} -- "${paths[@]}" \
  </dev/null || code=$?

if [[ -n "${CALLWRIGHT_ACTION_SARIF:-}" && $code -le 1 ]]; then
  # The results are in the cache, so this costs little.
  "$callwright" check --output-format sarif --output-file "$CALLWRIGHT_ACTION_SARIF" --exit-zero \
    ${args[@]+"${args[@]}"} -- "${paths[@]}" </dev/null || code=$?
  [[ $code -gt 1 ]] || echo "sarif-file=$CALLWRIGHT_ACTION_SARIF" >>"${GITHUB_OUTPUT:-/dev/null}"
fi

echo "exit-code=$code" >>"${GITHUB_OUTPUT:-/dev/null}"
if [[ $code -eq 1 && "${CALLWRIGHT_ACTION_FAIL:-true}" != true ]]; then
  exit 0
fi
exit "$code"
