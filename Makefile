# A thin front of CMake. `make help` lists the targets; CONTRIBUTING.md has the presets for everything else.
JOBS ?= $(shell nproc)
# Tests wait more than they compute.
TEST_JOBS ?= $(shell echo $$((4 * $(JOBS))))
export INPUT
MAKEFLAGS += --no-print-directory

.PHONY: help build demo mibench test headers clean packages deb
help:
	@echo 'make demo   install what is missing, build, run the flagship pipeline under woa and rpc-hub'
	@echo '            make demo INPUT=photo.jpg takes your own picture'
	@echo 'make test   install what is missing, build, run all tests'
	@echo 'make build  build the programs: build/woa, build/woa-mibench'
	@echo 'make mibench  the programs of the WOA paper under WOA and RPC: table, JSON, CSV and page in build/mibench/results'
	@echo '            make mibench MIBENCH="--programs sha --repeat 5" passes options; build/woa-mibench run --help lists them'
	@echo 'make headers  compile each header by itself, as those who include it first would'
	@echo 'make deb    the Debian packages woa, libwoa1 and libwoa-dev, in build/packages'
	@echo 'make clean  remove build/'
	@echo
	@echo 'WOA_NO_INSTALL=1 installs nothing and says what is missing; JOBS=N builds with N processes (default: all cores)'

packages:
	@tools/install-packages.sh

build: packages
	@cmake --preset release --log-level=WARNING
	@cmake --build build --target programs --parallel $(JOBS)

demo: build
	@tools/demo.sh

mibench: build
	@build/woa-mibench run $(MIBENCH)

test: build
	@cmake --build build --parallel $(JOBS)
	@ctest --test-dir build --output-on-failure --parallel $(TEST_JOBS)

headers: packages
	@cmake --preset release --log-level=WARNING
	@cmake --build build --target woa_headers_verify_interface_header_sets --parallel $(JOBS)

deb: build
	@for program in dpkg-shlibdeps file; do command -v $$program >/dev/null || \
	  { echo "make deb: $$program is missing, so the packages would not say what they need; install dpkg-dev and file" >&2; exit 3; }; done
	@cpack --config build/CPackConfig.cmake -B build/packages
	@rm -rf build/packages/_CPack_Packages

clean:
	rm -rf build
