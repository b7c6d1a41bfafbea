# SPDX-License-Identifier: Apache-2.0
# What can be done here. `make` lists it.

SWIFT ?= swift
BUILD = $(SWIFT) build --explicit-target-dependency-import-check error
RELEASE_BIN = .build/release

.PHONY: help
help: ## Lists what can be done
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | sort | \
	    awk -F '\t' '{ printf "  make %-16s %s\n", $$1, $$2 }'

.PHONY: setup
setup: ## Installs the Debian packages that are missing; does nothing when none is
	@./Tools/setup.sh build

.PHONY: servers
servers:
	@./Tools/setup.sh servers

.PHONY: demo
demo: release servers ## Shows the main job, live: two boards meet, one warns, the other is woken and finds out
	@./Tools/demo.sh $(RELEASE_BIN)

.PHONY: test
test: setup servers ## Runs all tests (three minutes on two cores after the first build)
	@$(BUILD) --build-tests
	@$(SWIFT) test --skip-build

.PHONY: build
build: setup ## Builds for development
	@$(BUILD)

.PHONY: release
release: setup ## Builds the executables as they ship
	@$(BUILD) -c release --product vigil
	@$(BUILD) -c release --product vigil-zip
	@$(BUILD) -c release --product vigil-jail
	@$(BUILD) -c release --product vigil-plugins
	@$(BUILD) -c release --product vigil-authority
	@$(BUILD) -c release --product vigil-lab

# Packed relocations are applied from a table a tenth as long: a megabyte less of file, half a megabyte less of memory. glibc 2.36.
FIRMWARE_BIN = .build/firmware/release

.PHONY: firmware
firmware: setup ## Builds vigil as it ships on boards: with Swift inside, stripped
	@$(BUILD) -c release --product vigil --scratch-path .build/firmware --static-swift-stdlib \
	    -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs
	@$(BUILD) -c release --product vigil-zip --scratch-path .build/firmware --static-swift-stdlib \
	    -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs
	@$(BUILD) -c release --product vigil-plugins --scratch-path .build/firmware --static-swift-stdlib \
	    -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs
	@$(BUILD) -c release --product vigil-jail --scratch-path .build/firmware
	@strip -o $(FIRMWARE_BIN)/vigil.stripped $(FIRMWARE_BIN)/vigil
	@strip -o $(FIRMWARE_BIN)/vigil-zip.stripped $(FIRMWARE_BIN)/vigil-zip
	@strip -o $(FIRMWARE_BIN)/vigil-plugins.stripped $(FIRMWARE_BIN)/vigil-plugins
	@strip -o $(FIRMWARE_BIN)/vigil-jail.stripped $(FIRMWARE_BIN)/vigil-jail

.PHONY: conformance
conformance: release ## Runs the test vectors of the tree; DIR=… for others
	@$(RELEASE_BIN)/vigil-lab conformance $(or $(DIR),Tests/Vectors/gaen)

.PHONY: bench
bench: release firmware ## Measures against the thresholds in Benchmarks/thresholds.json
	@./Tools/setup.sh bench
	@status=0; for name in matching memory instructions storage "calls --vigil $(FIRMWARE_BIN)/vigil.stripped" \
	    "intake --vigil $(FIRMWARE_BIN)/vigil.stripped" "core --vigil $(FIRMWARE_BIN)/vigil.stripped"; do \
	    $(RELEASE_BIN)/vigil-lab bench $$name || status=1; done; exit $$status

.PHONY: prove
prove: release ## Runs the long proofs (half an hour)
	@./Tools/prove.sh $(RELEASE_BIN) long

.PHONY: fuzz
fuzz: setup ## Fuzzes every parser for a minute each; SECONDS=… for longer, FUZZERS="zip hci" for some
	@./Tools/fuzz.sh $(or $(SECONDS),60) $(FUZZERS)

.PHONY: test-arm64
test-arm64: ## Builds the arm64 kernels and runs their tests under emulation
	@./Tools/setup.sh build arm64
	@./Tools/test-arm64.sh

.PHONY: test-constant-time
test-constant-time: setup ## Shows under valgrind that the AES for own keys has no secret-dependent branch or address
	@./Tools/setup.sh bench
	@./Tools/test-constant-time.sh

.PHONY: test-vm
test-vm: release ## Two boards on Debian's kernel in QEMU exchange identifiers; also on a silent air
	@./Tools/setup.sh vm
	@./Tools/test-vm.sh $(RELEASE_BIN)

.PHONY: test-interop
test-interop: release ## The board and Bumble, a foreign Bluetooth stack, hear each other
	@./Tools/setup.sh interop
	@./Tools/test-interop.sh $(RELEASE_BIN)

.PHONY: test-varlink
test-varlink: release ## The Varlink project's own client introspects and calls a real core
	@./Tools/setup.sh interop
	@VARLINKCTL=0 ./Tools/test-core-varlink.sh $(RELEASE_BIN)

.PHONY: test-varlinkctl
test-varlinkctl: release ## The same, and Debian 13's varlinkctl; fetches it first
	@./Tools/setup.sh interop varlinkctl
	@./Tools/test-core-varlink.sh $(RELEASE_BIN)

.PHONY: test-egress
test-egress: release servers ## The way out, in a network of its own with a name server of its own
	@./Tools/test-egress.sh $(RELEASE_BIN)

.PHONY: test-together
test-together: release servers ## Authority, nginx, mosquitto and two whole boards; needs root
	@./Tools/together.py $(RELEASE_BIN)

.PHONY: format
format: ## Formats the Swift sources
	@$(SWIFT) format --in-place --recursive Sources Plugins Tests Fuzz/Sources Package.swift Fuzz/Package.swift

.PHONY: lint
lint: ## Checks formatting, shell scripts and what the firmware links
	@./Tools/setup.sh lint
	@$(SWIFT) format lint --strict --recursive Sources Plugins Tests Fuzz/Sources Package.swift Fuzz/Package.swift
	@shellcheck Tools/*.sh Tools/vm/*.sh Tools/vm/guest/*.sh .ci/run
	@./Tools/lint-firmware.sh $(RELEASE_BIN)

.PHONY: prepush
prepush: lint test ## What to run before pushing

.PHONY: clean
clean: ## Removes everything that was built
	@rm -rf .build Fuzz/.build
