#!/usr/bin/env bash
# Installs the packages of tools/packages.txt that this machine lacks, as root or with sudo. Ends at once if none is
# missing.
#
#   tools/install-packages.sh          the required and the optional ones
#   tools/install-packages.sh check    those of class check, too: .ci/run alone asks for them
#
# WOA_NO_INSTALL=1     installs nothing, says what is missing
# WOA_ONLY_REQUIRED=1  leaves optional packages out
# Exit code: 0 when every required package is there, 3 when one is missing and cannot be installed.
set -euo pipefail
cd "$(dirname "$0")"

case "$*" in
  '') with_check='' ;;
  check) with_check=1 ;;
  *) echo "packages: '$*' is no class of packages that can be asked for; usage: tools/install-packages.sh [check]" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "packages: this is no Debian or Ubuntu, so nothing is installed here; tools/packages.txt lists what the build needs"
  exit 0
fi

installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p')
is_installed() { grep -qxF -- "$1" <<<"$installed"; }
known_to_apt() { [ -n "$(apt-cache policy -- "$1" 2>/dev/null | sed -n 's/^  Candidate: //p' | grep -vxF '(none)')" ]; }

# missing_required and missing_optional: entries `name|other-name` with no name installed.
missing_required=()
missing_optional=()
while read -r kind names _; do
  case "$kind" in
    '' | '#'*) continue ;;
    required | optional) ;;
    check) [ -n "$with_check" ] || continue ;;
    *) echo "packages: packages.txt: '$kind $names' must start with required, optional or check" >&2; exit 2 ;;
  esac
  for name in ${names//|/ }; do
    if is_installed "$name"; then continue 2; fi
  done
  if [ "$kind" = required ]; then
    missing_required+=("$names")
  elif [ "${WOA_ONLY_REQUIRED:-}" != 1 ]; then
    missing_optional+=("$names")
  fi
done <packages.txt
if [ $((${#missing_required[@]} + ${#missing_optional[@]})) = 0 ]; then exit 0; fi

give_up() {  # reason
  if [ ${#missing_required[@]} = 0 ]; then
    echo "packages: $1; left out: ${missing_optional[*]}"
    exit 0
  fi
  echo "packages: $1, and required packages are missing; install them and try again:" >&2
  printf '  %s\n' "${missing_required[@]}" >&2
  exit 3
}

if [ "${WOA_NO_INSTALL:-}" = 1 ]; then give_up "WOA_NO_INSTALL=1, so nothing is installed"; fi
as_root=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then give_up "installing needs root or sudo"; fi
  if [ ! -t 0 ] && ! sudo -n true 2>/dev/null; then give_up "sudo would ask for a password and there is no terminal"; fi
  as_root=(sudo)
fi
apt_get() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@"; }

# first_known: the first name of `a|b|c` that apt can install.
first_known() {
  local name
  for name in ${1//|/ }; do
    if known_to_apt "$name"; then echo "$name"; return 0; fi
  done
  return 1
}

# choose ENTRY...: sets chosen, packages to install, and unknown, entries that apt cannot install.
choose() {
  local entry name
  chosen=() unknown=()
  for entry in "$@"; do
    if name=$(first_known "$entry"); then chosen+=("$name"); else unknown+=("$entry"); fi
  done
}
lists_are_fresh() { [ -n "$(find /var/lib/apt/lists -maxdepth 1 -type f -name '*_Packages*' -mtime -1 -print -quit 2>/dev/null)" ]; }

choose "${missing_required[@]}" "${missing_optional[@]}"
if [ ${#unknown[@]} != 0 ] && ! lists_are_fresh; then
  echo "packages: refreshing apt's lists"
  apt_get update || echo "packages: apt-get update failed; going on with the lists that are here" >&2
fi

install() {
  if [ $# = 0 ]; then return 0; fi
  echo "packages: installing $*"
  apt_get install -y --no-install-recommends "$@" >/dev/null
}

choose "${missing_required[@]}"
if [ ${#unknown[@]} != 0 ]; then
  missing_required=("${unknown[@]}")
  give_up "apt does not know them"
fi
required=("${chosen[@]}")
choose "${missing_optional[@]}"
optional=("${chosen[@]}")
if [ ${#unknown[@]} != 0 ]; then echo "packages: apt does not know these optional ones, so they are left out: ${unknown[*]}"; fi

# Outdated lists name files that are gone: refresh once and try again.
if ! install "${required[@]}" "${optional[@]}"; then
  echo "packages: that failed; refreshing apt's lists and trying again"
  apt_get update || true
  install "${required[@]}" || give_up "apt-get install failed"
  for name in "${optional[@]}"; do
    install "$name" || echo "packages: $name could not be installed and is left out"
  done
fi
