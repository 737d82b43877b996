#!/usr/bin/env bash
# Installs each package in a clean place and uses it once: a line for each. Fails where one does not work.
# `cargo xtask dist --try` runs it, with what packages say as variables (src/trial.rs).
set -euo pipefail

rows="checksums archive archive_arm64 container deb lintian rpm npm pypi mcpb homebrew scoop winget nix registry sbom"

# A row ends with one of these. Whatever fails before that fails it.
ok() { echo "ok: $*" >&3; exit 0; }
skip() { echo "skipped: $*" >&3; exit 0; }
fail() { echo "$*" >&2; exit 1; }

has() { command -v "$1" >/dev/null; }
need() { for tool in "$@"; do has "$tool" || skip "$tool is not installed"; done; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }
need_root() { need "$@"; as_root true || skip "it needs root, and sudo asks for a password"; }
unpack() { mkdir "$2"; tar -xzf "$PACKAGES/$1" -C "$2"; }

says_version() {
  local said; said=$("$@")
  [[ $said == "$NAME $VERSION"* ]] || fail "it says $said, not $NAME $VERSION"
}
# The demo reads notes, shows that the vault cannot be left, and reviews a draft.
shows_demo() {
  local shown; shown=$("$@" demo)
  [[ $shown == *PATH_ESCAPE* && $shown == *"review accept"* && $shown == *"Undid run"* ]] || fail "the demo shows $shown"
}
use() { says_version "$@" --version; shows_demo "$@"; }

row_checksums() {
  cd "$PACKAGES"
  sha256sum --check --strict --quiet SHA256SUMS
  local listed; listed=$(wc -l <SHA256SUMS)
  [ "$(find . -type f | wc -l)" = $((listed + 1)) ] || fail "a package is not listed"
  ok "$listed packages, each with its SHA-256"
}

# With no C library, no shell and nothing else.
row_archive() {
  need_root tar chroot
  unpack "$STEM.tar.gz" unpacked
  mkdir -p root/tmp
  cp "unpacked/$STEM/$NAME" root
  shows_demo as_root chroot root "/$NAME"
  ok "unpacked, and run in a root folder with this one file"
}

row_archive_arm64() {
  local stem="$NAME-$VERSION-aarch64-unknown-linux-musl"
  [ -e "$PACKAGES/$stem.tar.gz" ] || skip "it was not built"
  need tar qemu-aarch64-static
  unpack "$stem.tar.gz" unpacked
  use qemu-aarch64-static "unpacked/$stem/$NAME"
  ok "unpacked, and run by qemu-aarch64-static"
}

# Built where there is an engine; else its root is made by its own COPY lines.
row_container() {
  need tar
  unpack "$NAME-$VERSION-container.tar.gz" context
  for engine in docker podman; do
    if has $engine && $engine info; then
      trap '$engine rmi "$NAME-trial"' EXIT
      $engine build -f context/Containerfile -t "$NAME-trial" context
      shows_demo $engine run --rm "$NAME-trial"
      ok "built and run by $engine"
    fi
  done
  need_root chroot chown
  local line word owner words
  while read -r line; do
    owner='' words=()
    for word in ${line//\$\{TARGETARCH\}/$DEBIAN}; do
      case $word in --chown=*) owner=${word#*=} ;; *) words+=("$word") ;; esac
    done
    local target="root${words[-1]}"
    mkdir -p "$(dirname "${target}x")"
    (cd context && cp -RL "${words[@]::${#words[@]}-1}" "../$target")
    [ -z "$owner" ] || as_root chown -R "$owner" "$target"
  done < <(sed -n 's/^COPY //p' context/Containerfile)
  local user; user=$(sed -n 's/^USER //p' context/Containerfile)
  shows_demo as_root chroot --userspec="$user" root "/usr/bin/$NAME"
  ok "no container engine runs; its root, made by its COPY lines, was run by its user"
}

deb_file() { echo "$PACKAGES/${NAME}_${VERSION}_$DEBIAN.deb"; }

row_deb() {
  need_root dpkg dpkg-deb
  mkdir -p root/var/lib/dpkg/updates root/var/lib/dpkg/info
  touch root/var/lib/dpkg/status
  local dpkg=(as_root dpkg --root="$PWD/root" --log="$PWD/root/log")
  "${dpkg[@]}" --install "$(deb_file)"
  use "root/usr/bin/$NAME"
  "${dpkg[@]}" --purge "$NAME"
  [ ! -e "root/usr/bin/$NAME" ] || fail "the program is still there after the purge"
  ok "installed into a root folder by dpkg, run, purged"
}

row_lintian() {
  need lintian
  # Lintian refuses root without the first option.
  local said; said=$(lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$(deb_file)") || fail "$said"
  [ -z "$said" ] || fail "$said"
  ok "lintian says nothing"
}

row_rpm() {
  need_root rpm
  local package="$PACKAGES/$NAME-$VERSION-1.$RPM.rpm"
  says_version rpm -qp --queryformat '%{NAME} %{VERSION}' "$package"
  rpm -K --nosignature "$package"
  mkdir root
  as_root rpm --root="$PWD/root" -i --nosignature "$package"
  use "root/usr/bin/$NAME"
  as_root rpm --root="$PWD/root" -V "$NAME"
  ok "queried, checked, installed into a root folder by rpm, verified, run"
}

# Nothing is fetched, so that no package of somebody else can take their place.
row_npm() {
  need npm npx
  echo '{"private": true}' >package.json
  npm install --offline --ignore-scripts --no-audit --no-fund \
    "$PACKAGES/$NAME-$VERSION.tgz" "$PACKAGES/$NAME-$PLATFORM-$CPU-$VERSION.tgz"
  use npx --offline "$NAME"
  if npx --offline "$NAME" no-such-command; then fail "the launcher does not pass on the exit status"; fi
  ok "npm i of the packed files, npx demo, exit status passed on"
}

row_pypi() {
  need python3
  python3 -m venv environment
  local pip=(environment/bin/pip --disable-pip-version-check)
  "${pip[@]}" install --no-index "$PACKAGES/${NAME//-/_}-$VERSION-py3-none-$WHEEL_TAG.whl"
  use "environment/bin/$NAME"
  local shown; shown=$("${pip[@]}" show --files "$NAME")
  [[ $shown == *"$DESCRIPTION"* ]] || fail "pip does not show the description: $shown"
  ok "pip install into a fresh environment, run"
}

# Checked and unpacked by the project's own tool, then started as its manifest says.
row_mcpb() {
  need npx
  local tool=@anthropic-ai/mcpb@2.1.2
  npx --yes $tool --version || skip "$tool could not be fetched"
  npx --yes $tool unpack "$PACKAGES/$STEM.mcpb" bundle
  npx --yes $tool validate bundle/manifest.json
  mkdir vault
  printf 'The bundle can read this.' >vault/Note.md
  local tools; tools=$(node -e '
    const { mcp_config: start } = require("./bundle/manifest.json").server;
    const filled = (word) => word.replace("${__dirname}", "bundle").replace("${user_config.vault}", "./vault");
    const client = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "trial", version: "1" } };
    const lines = [
      { id: 1, method: "initialize", params: client },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/list" },
      { id: 3, method: "tools/call", params: { name: "read", arguments: { path: "Note.md" } } },
    ];
    const input = lines.map((line) => JSON.stringify({ jsonrpc: "2.0", ...line }) + "\n").join("");
    const { stdout } = require("node:child_process").spawnSync(filled(start.command), start.args.map(filled), { input });
    const answers = stdout.toString().trim().split("\n").map((line) => JSON.parse(line));
    const result = (id) => answers.find((answer) => answer.id === id).result;
    const { tools } = result(2), [{ text }] = result(3).content;
    if (tools.length < 2 || text !== "The bundle can read this.") throw new Error(stdout);
    console.log(tools.length);')
  ok "valid by $tool; unpacked, started, $tools tools, a note read over MCP"
}

row_homebrew() {
  [ -n "$REPOSITORY" ] || skip "no repository is known (--repository URL)"
  if has brew; then brew style --formula "$PACKAGES/$NAME.rb"; ok "brew style"; fi
  need ruby
  ruby -wc "$PACKAGES/$NAME.rb"
  ok "valid Ruby; not installed, since brew is not installed"
}

# The address of an archive, its SHA-256 and the path of the program in it, as a manifest for Windows has them.
has_program() {
  local file="$PACKAGES/${1##*/}"
  echo "${2,,}  $file" | sha256sum --check --strict --quiet
  python3 -m zipfile -l "$file" | grep -qF "$3 " || fail "$3 is not in $file"
}
needs_windows="no repository on GitHub is known (--repository URL), or the program for Windows was not built"

row_scoop() {
  local manifest="$PACKAGES/$NAME.json" fields
  [ -e "$manifest" ] || skip "$needs_windows"
  need python3
  fields=$(python3 -c '
import json, sys
manifest = json.load(open(sys.argv[1]))
source = manifest["architecture"]["64bit"]
print(source["url"], source["hash"], source["extract_dir"] + "/" + manifest["bin"])' "$manifest")
  has_program $fields
  ok "its archive, with this hash and program, is in the release; not installed, since Scoop needs Windows"
}

row_winget() {
  local package="$PACKAGES/$NAME-$VERSION-winget.zip" installer
  [ -e "$package" ] || skip "$needs_windows"
  need python3
  python3 -m zipfile -e "$package" .
  installer=$(find manifests -name '*.installer.yaml')
  field() { sed -n "s/^[ -]*$1: //p" "$installer"; }
  has_program "$(field InstallerUrl)" "$(field InstallerSha256)" "$(field RelativeFilePath | tr '\\' /)"
  ok "their archive, with this hash and program, is in the release; not installed, since winget needs Windows"
}

# Building it fetches all of nixpkgs, so that is left to its users.
row_nix() {
  need nix-instantiate
  nix-instantiate --parse "$PARTS/share/flake.nix"
  ok "valid Nix; not built"
}

# Runs a script with a library of PyPI, in an environment of its own, on these files.
python_check() {
  need python3
  python3 -m venv environment
  environment/bin/pip install --disable-pip-version-check "$1" || skip "$1 could not be fetched"
  environment/bin/python -c "${@:2}"
}

# By the schema that the MCP registry publishes.
row_registry() {
  [ -e "$PACKAGES/server.json" ] || skip "no repository on GitHub is known (--repository URL)"
  python_check jsonschema==4.25.1 '
import json, sys
import jsonschema
schema, document = (json.load(open(path)) for path in sys.argv[1:])
jsonschema.validators.validator_for(schema).check_schema(schema)
jsonschema.validate(document, schema, format_checker=jsonschema.FormatChecker())
' "$SCHEMAS/server.schema.json" "$PACKAGES/server.json"
  ok "valid by the registry's JSON schema"
}

# By the library of the CycloneDX project.
row_sbom() {
  local library='cyclonedx-python-lib[json-validation]==11.12.0' lists=("$PACKAGES"/*.cdx.json)
  python_check "$library" '
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
for path in sys.argv[1:]:
    with open(path) as file:
        error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(file.read())
    if error:
        sys.exit(f"{path}: {error}")
' "${lists[@]}"
  ok "${#lists[@]} lists valid by $library"
}

if [ $# = 1 ]; then
  "row_$1"
  fail "this row does not say how it ended"
fi
failed=0
for row in $rows; do
  SECONDS=0
  work=$(mktemp -d)
  mkdir "$work/home" "$work/trial"
  if (cd "$work/trial" && HOME="$work/home" "$BASH" "$0" "$row") >"$work/log" 2>&1 3>"$work/end"; then
    end=$(<"$work/end")
  else
    failed=$((failed + 1)) end="FAILED: $(<"$work/log")"
  fi
  printf '%-20s %5d s  %s\n' "$row" $SECONDS "$end"
  # What root made, only root can remove.
  as_root rm -rf "$work" 2>/dev/null || rm -rf "$work"
done
[ $failed = 0 ] || fail "$failed of the packages do not work"
