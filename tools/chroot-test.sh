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

suite=bookworm
keep=
required_only=
for argument in "$@"; do
  case "$argument" in
    bookworm | trixie) suite=$argument ;;
    --keep) keep=1 ;;
    --required-only) required_only=1 ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
  esac
done
[ "$(id -u)" = 0 ] || { echo "chroot-test: must be run as root" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "chroot-test: debootstrap is missing: install it" >&2; exit 3; }

say() { printf '\n== %4ds  %s\n' "$SECONDS" "$*"; }

# The address that apt on this machine fetches Debian's main archive from.
mirror=$(apt-get indextargets --format '$(SITE) $(ORIGIN) $(LABEL)' 'Created-By: Packages' | awk '$2 == "Debian" && $3 == "Debian" {print $1; exit}')
[ -n "$mirror" ] || { echo "chroot-test: apt on this machine knows no Debian archive; run apt-get update" >&2; exit 3; }
security=$(apt-get indextargets --format '$(SITE) $(LABEL)' 'Created-By: Packages' | awk '$2 == "Debian-Security" {print $1; exit}')

root=$(mktemp -d "${WOA_CHROOT_PARENT:-${TMPDIR:-/tmp}}/woa-chroot.XXXXXX")
cleanup() {
  local mounted
  # Deepest first; deletion waits until no mount remains. The tests' `ip netns` leaves the mount on run/netns.
  for mounted in run/netns dev/shm sys proc; do
    if mountpoint -q "$root/$mounted"; then umount "$root/$mounted" || umount -l "$root/$mounted"; fi
  done
  if [ -n "$keep" ]; then
    echo "chroot left at $root"
  elif ! grep -qF " $root/" /proc/mounts; then
    rm -rf --one-file-system "$root"
  fi
}
chmod 755 "$root"  # apt fetches as a user of its own
trap cleanup EXIT
trap 'exit 130' INT TERM

say "debootstrap $suite from this machine's mirror"
debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
  { tail -n 20 "$root.log" >&2; echo "chroot-test: debootstrap failed, log in $root.log" >&2; exit 1; }
rm -f "$root.log"

# The chroot reaches the network as this machine does.
{
  echo "deb $mirror $suite main"
  echo "deb $mirror $suite-updates main"
  if [ -n "$security" ]; then echo "deb $security $suite-security main"; fi
} >"$root/etc/apt/sources.list"
apt-config dump | grep -iE '^Acquire::(http|https)::(proxy|verify|cainfo)' >"$root/etc/apt/apt.conf.d/90host" || true
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
for certificate in /usr/local/share/ca-certificates/*.crt; do
  if [ -e "$certificate" ]; then cp "$certificate" "$root/usr/local/share/ca-certificates/"; fi
done

mkdir -p "$root/dev/shm"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=1777,size=4g tmpfs "$root/dev/shm"

inside() {
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    ${required_only:+WOA_ONLY_REQUIRED=1} /bin/sh -ec "$1"
}

say "git and make"
inside 'update-ca-certificates >/dev/null 2>&1; apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends git make >/dev/null; git --version; make --version | head -n 1'
if [ -n "${WOA_CHROOT_ONLY:-}" ]; then say "apt works inside"; exit 0; fi

say "git clone of $(git rev-parse --short HEAD)"
if [ -n "$(git status --porcelain)" ]; then echo "note: uncommitted changes are not part of this test"; fi
git clone -q --bare --no-hardlinks . "$root/srv/woa.git"
inside 'git config --global --add safe.directory /srv/woa.git; git clone -q /srv/woa.git /srv/woa'

say "make demo"
inside 'cd /srv/woa && make demo'
say "make test"
inside 'cd /srv/woa && make test'
say "make demo, a second time"
inside 'cd /srv/woa && make demo'
say "done: $suite passed"
