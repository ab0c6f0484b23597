#!/usr/bin/env bash
# Proves the promise of the README on a machine that has nothing: a fresh Debian chroot with only git and make added, a clone of
# this tree's HEAD, `make demo`, `make test`. Needs root and debootstrap. The mirror is the one that this machine's apt uses.
#
#   tools/chroot-test.sh [bookworm|trixie] [--required-only] [--keep]
#
# --required-only  installs no optional package, so the build must do without them
# --keep           leaves the chroot behind (its path is printed); its mounts are taken down all the same
# WOA_CHROOT_PARENT  the folder to make the chroot in (default: TMPDIR or /tmp); needs about 5 GB
# WOA_CHROOT_ONLY=1  stops once apt works inside
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/chroot.sh

suite=bookworm
required_only=
for argument in "$@"; do
  case "$argument" in
    bookworm | trixie) suite=$argument ;;
    --keep) keep=1 ;;
    --required-only) required_only=1 ;;
    *) usage ;;
  esac
done

new_chroot "$suite"
if [ -n "${WOA_CHROOT_ONLY:-}" ]; then say "apt works inside"; exit 0; fi
clone_inside

say "make demo"
inside 'cd /srv/woa && make demo'
say "make test"
inside 'cd /srv/woa && make test'
say "make demo, a second time"
inside 'cd /srv/woa && make demo'
say "done: $suite passed"
