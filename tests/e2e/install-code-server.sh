#!/bin/bash
# Installs code-server (VS Code behind a web server) into the cache, unless it is there, and prints its folder.
#
# usage: install-code-server.sh
# Environment: XDG_CACHE_HOME (default ~/.cache); CODE_SERVER_VERSION (default below).
# Needs node (the major version that code-server asks for), npm, python3, make, a C++ compiler and rg on PATH.
#
# Its own installer downloads prebuilt parts from places that are often out of reach, so packages are installed without
# their scripts and the few native parts that an editor without windows needs are compiled here. The newest version that
# runs on Node 20 is VS Code 1.100.3, which is also the oldest one that the extension promises to work with.
set -euo pipefail

self=$(realpath "$0")

version=${CODE_SERVER_VERSION:-4.100.3}
node_major=$(node -p 'process.versions.node.split(".")[0]')
cache=${XDG_CACHE_HOME:-$HOME/.cache}/callwright
folder=$cache/code-server-$version-node$node_major
stamp=$folder/installed

if [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$(sha256sum <"$self")" ]; then
  echo "$folder"
  exit 0
fi

say() { echo "code-server: $*" >&2; }
for tool in npm python3 make g++ rg; do
  command -v "$tool" >/dev/null || { say "\`$tool\` is missing; on Debian: apt-get install build-essential python3 ripgrep"; exit 2; }
done

mkdir -p "$cache"
work=$(mktemp -d "$cache/installing.XXXXXX")
trap 'rm -rf "$work"' EXIT
export npm_config_fund=false npm_config_audit=false npm_config_update_notifier=false npm_config_build_from_source=true
MAKEFLAGS=-j$(nproc)
export MAKEFLAGS
# Node's headers usually lie beside it; node-gyp would otherwise download them.
prefix=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
if [ -e "$prefix/include/node/node.h" ]; then
  export npm_config_nodedir=$prefix
fi
gyp=$(dirname "$(readlink -f "$(command -v npm)")")/../node_modules/node-gyp/bin/node-gyp.js

say "installing version $version (a few minutes, once)"
cd "$work"
echo '{"private": true}' >package.json
npm install --ignore-scripts --omit=dev --loglevel=error "code-server@$version" >&2
vscode=$work/node_modules/code-server/lib/vscode
(cd "$vscode" && npm install --ignore-scripts --omit=dev --loglevel=error >&2)

build() { # folder, command…
  local where=$1
  shift
  say "compiling ${where##*/}"
  (cd "$where" && "$@" >"$work/build.log" 2>&1) || { tail -20 "$work/build.log" >&2; say "compiling ${where##*/} failed"; exit 2; }
}
argon2=$work/node_modules/argon2
[ -d "$argon2" ] || argon2=$work/node_modules/code-server/node_modules/argon2
build "$argon2" npm run install
for name in node-pty native-watchdog @vscode/spdlog; do
  build "$vscode/node_modules/$name" node "$gyp" rebuild
done

mkdir -p "$vscode/node_modules/@vscode/ripgrep/bin"
ln -sf "$(command -v rg)" "$vscode/node_modules/@vscode/ripgrep/bin/rg"
ln -sfn node_modules "$vscode/node_modules.asar"
node "$work/node_modules/code-server/out/node/entry.js" --version >/dev/null

cd "$cache"
rm -rf "$folder"
mv "$work" "$folder"
trap - EXIT
chmod 755 "$folder"
sha256sum <"$self" >"$folder/installed"
say "installed into $folder"
echo "$folder"
