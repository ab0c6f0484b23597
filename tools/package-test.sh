#!/usr/bin/env bash
# Proves the Debian packages where nothing else is. A Debian chroot builds them from a clone of this tree's HEAD, as the
# first stage of `Containerfile` does. A second, clean one installs them and uses them: a graph, man pages, completion,
# and the examples of docs/embedding.md. Needs root and debootstrap.
#
#   tools/package-test.sh [--here] [--keep]
#
# --here  takes the packages of this machine's `make deb`, which must be of the same Debian
# --keep  leaves the chroots behind (their paths are printed)
# WOA_CHROOT_PARENT  the folder to make the chroots in (default: TMPDIR or /tmp); needs about 3 GB
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/chroot.sh

suite=bookworm
here=
for argument in "$@"; do
  case "$argument" in
    --here) here=1 ;;
    --keep) keep=1 ;;
    *) usage ;;
  esac
done

if [ -n "$here" ]; then
  grep -qx "VERSION_CODENAME=$suite" /etc/os-release || give_up 3 "--here: this machine is no Debian $suite, whose libraries the packages need"
  make deb
  built=build/packages
else
  new_chroot "$suite"
  clone_inside
  say "make deb"
  inside 'cd /srv/woa && make deb'
  built=$root/srv/woa/build/packages
fi

new_chroot "$suite"
mkdir "$root/srv/use"
cp "$built"/*.deb "$root/srv/use/"
for language in cpp c; do  # the first example of each
  awk -v fence="\`\`\`$language" '$0 == "```" && on {exit} on {print} $0 == fence {on = 1}' docs/embedding.md >"$root/srv/use/example.$language"
done

say "the program alone"
inside 'cd /srv/use && apt-get install -y -qq --no-install-recommends ./woa_*.deb >/dev/null
  echo hello >in.txt
  woa run /usr/share/woa/examples/hello.yaml --in text=in.txt --out copy=out.txt && cmp in.txt out.txt
  woa devices
  woa bench --help >/dev/null
  grep -q "woa run" /usr/share/man/man1/woa-run.1
  bash -c ". /usr/share/bash-completion/completions/woa; COMP_LINE=\"woa ver\"; COMP_POINT=7; _woa woa; [ \$COMPREPLY = verify ]"'

say "programs of one's own"
inside 'cd /srv/use && apt-get install -y -qq --no-install-recommends ./*.deb g++ cmake make pkg-config >/dev/null
  c++ -std=c++20 -o by_cpp example.cpp $(pkg-config --cflags --libs woa) && ./by_cpp
  cc -std=c11 -o by_c example.c $(pkg-config --cflags --libs woa) && ./by_c
  printf "%s\n" "cmake_minimum_required(VERSION 3.16)" "project(user LANGUAGES CXX)" "set(CMAKE_CXX_STANDARD 20)" \
    "find_package(woa 0.1 CONFIG REQUIRED)" "add_executable(by_cmake example.cpp)" "target_link_libraries(by_cmake PRIVATE woa::woa)" >CMakeLists.txt
  cmake -S . -B build >/dev/null && cmake --build build >/dev/null && build/by_cmake
  woa new-kernel scale && sh scale/test.sh
  for program in by_cpp by_c build/by_cmake; do [ "$(./$program)" = hello ]; done'

say "removal leaves nothing"
inside 'apt-get purge -y -qq woa libwoa1 libwoa-dev >/dev/null; ! find /usr -path "*woa*" | grep .'
say "done: the packages passed on $suite"
