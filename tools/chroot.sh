# Sourced by tools/fresh-machine and tools/package-test.sh, which need a fresh Debian. Sets up nothing by itself; all that it made goes when the script ends.
#
#   new_chroot SUITE   debootstraps a chroot and sets $root to it; its network is this machine's
#   inside COMMAND     runs a line of shell as root in $root
#   say TEXT           a line with the seconds so far
# The mirror is the one that this machine's apt uses; pip has this machine's configuration, too. With $keep set, chroots stay and their paths are printed.
# WOA_CHROOT_PARENT: the folder to make them in (default: TMPDIR or /tmp).
keep=
chroots=()

say() { printf '\n== %4ds  %s\n' "$SECONDS" "$*"; }

give_up() {  # exit code, reason
  echo "${0##*/}: $2" >&2
  exit "$1"
}

usage() {  # [exit code]: the comment at the script's top, on stdout if it was asked for
  local to=2
  if [ "${1:-2}" = 0 ]; then to=1; fi
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&$to
  exit "${1:-2}"
}

delete_chroots() {
  local mounted root
  for root in "${chroots[@]}"; do
    # Deepest first; deletion waits until no mount remains. The tests' `ip netns` leaves the mount on run/netns.
    for mounted in run/netns dev/shm sys proc; do
      if mountpoint -q "$root/$mounted"; then umount "$root/$mounted" || umount -l "$root/$mounted"; fi
    done
    if [ -n "$keep" ]; then
      echo "chroot left at $root"
    elif ! grep -qF " $root/" /proc/mounts; then
      rm -rf --one-file-system "$root"
    fi
  done
}

new_chroot() {  # suite
  [ "$(id -u)" = 0 ] || give_up 2 "must be run as root"
  command -v debootstrap >/dev/null || give_up 3 "debootstrap is missing: install it"
  local mirror security certificate
  # The address that apt on this machine fetches Debian's main archive from.
  mirror=$(apt-get indextargets --format '$(SITE) $(ORIGIN) $(LABEL)' 'Created-By: Packages' | awk '$2 == "Debian" && $3 == "Debian" {print $1; exit}')
  [ -n "$mirror" ] || give_up 3 "apt on this machine knows no Debian archive; run apt-get update"
  security=$(apt-get indextargets --format '$(SITE) $(LABEL)' 'Created-By: Packages' | awk '$2 == "Debian-Security" {print $1; exit}')

  root=$(mktemp -d "${WOA_CHROOT_PARENT:-${TMPDIR:-/tmp}}/woa-chroot.XXXXXX")
  chroots+=("$root")
  chmod 755 "$root"  # apt fetches as a user of its own
  trap delete_chroots EXIT
  trap 'exit 130' INT TERM

  say "debootstrap $1 from this machine's mirror"
  debootstrap --variant=minbase --include=ca-certificates "$1" "$root" "$mirror" >"$root.log" 2>&1 ||
    { tail -n 20 "$root.log" >&2; give_up 1 "debootstrap failed, log in $root.log"; }
  rm -f "$root.log"

  {
    echo "deb $mirror $1 main"
    echo "deb $mirror $1-updates main"
    if [ -n "$security" ]; then echo "deb $security $1-security main"; fi
  } >"$root/etc/apt/sources.list"
  apt-config dump | grep -iE '^Acquire::(http|https)::(proxy|verify|cainfo)' >"$root/etc/apt/apt.conf.d/90host" || true
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  for certificate in /usr/local/share/ca-certificates/*.crt; do
    if [ -e "$certificate" ]; then cp "$certificate" "$root/usr/local/share/ca-certificates/"; fi
  done

  if [ -e /etc/pip.conf ]; then cp /etc/pip.conf "$root/etc/"; fi

  mkdir -p "$root/dev/shm"
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t tmpfs -o mode=1777,size=4g tmpfs "$root/dev/shm"
  inside 'update-ca-certificates >/dev/null 2>&1; apt-get update -qq'
}

inside() {
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    ${required_only:+WOA_ONLY_REQUIRED=1} /bin/sh -ec "$1"
}

# A clone of this tree's HEAD at /srv/woa in $root.
clone_inside() {
  say "git clone of $(git rev-parse --short HEAD)"
  if [ -n "$(git status --porcelain)" ]; then echo "note: uncommitted changes are not part of this test"; fi
  inside 'apt-get install -y -qq --no-install-recommends git make >/dev/null; git --version; make --version | head -n 1'
  git clone -q --bare --no-hardlinks . "$root/srv/woa.git"
  inside 'git config --global --add safe.directory /srv/woa.git; git clone -q /srv/woa.git /srv/woa'
}
