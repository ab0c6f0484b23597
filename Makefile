# A thin front of CMake. `make help` lists the targets; CONTRIBUTING.md has the presets for everything else.
JOBS ?= $(shell nproc)
# Tests wait more than they compute.
TEST_JOBS ?= $(shell echo $$((4 * $(JOBS))))
# Tests whose name this regular expression finds.
TESTS ?= .
export INPUT
MAKEFLAGS += --no-print-directory

.PHONY: help build demo mibench test check wheel headers clean packages deb
help:
	@echo 'make demo   install what is missing, build, run the flagship pipeline under woa and rpc-hub'
	@echo '            make demo INPUT=photo.jpg takes your own picture'
	@echo 'make test   install what is missing, build, run the tests that show that this build works: every suite in small sizes'
	@echo 'make check  the same with every test in full size, as .ci/run does before a change is kept'
	@echo "            make test TESTS='commands_|fpga' runs those that this regular expression finds; make check, too"
	@echo 'make build  build the programs: build/woa, build/woa-mibench'
	@echo 'make mibench  the programs of the WOA paper under WOA and RPC: table, JSON, CSV and page in build/mibench/results'
	@echo '            make mibench MIBENCH="--programs sha --repeat 5" passes options; build/woa-mibench run --help lists them'
	@echo 'make wheel  the Python package of this build, in build/wheel'
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

# woa_check_only (cmake/WoaTargets.cmake) labels what this leaves out.
test: build
	@cmake --build build --parallel $(JOBS)
	@WOA_SIZES=small ctest --test-dir build --output-on-failure --parallel $(TEST_JOBS) --label-exclude '^check$$' --no-tests=error --tests-regex '$(TESTS)'

check: build
	@cmake --build build --target all check_programs --parallel $(JOBS)
	@ctest --test-dir build --output-on-failure --parallel $(TEST_JOBS) --no-tests=error --tests-regex '$(TESTS)'

wheel: build
	@python3 -m pip wheel --quiet --no-deps --wheel-dir build/wheel .

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
