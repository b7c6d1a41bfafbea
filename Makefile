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
demo: release servers ## Shows the main job, live: two boards meet, one warns, the other is woken and finds out; then a café's evening
	@./Tools/demo.sh $(RELEASE_BIN)
	@./Tools/demo-visit.py $(RELEASE_BIN)

.PHONY: test
test: setup servers ## Runs all tests (ten minutes on two cores after the first build)
	@$(BUILD) --build-tests
	@./Tools/test.py

.PHONY: smoke
smoke: setup servers ## Runs the fast tests, more than half of them (under a minute after the build)
	@$(BUILD) --build-tests
	@./Tools/test.py --smoke

.PHONY: build
build: setup ## Builds for development
	@$(BUILD)
	@$(GENERATE) --check

.PHONY: release
release: setup ## Builds the executables as they ship
	@$(BUILD) -c release --product vigil
	@$(BUILD) -c release --product vigil-zip
	@$(BUILD) -c release --product vigil-jail
	@$(BUILD) -c release --product vigil-plugins
	@$(BUILD) -c release --product vigil-authority
	@$(BUILD) -c release --product vigil-lab

.PHONY: fleet
fleet: setup
	@$(BUILD) -c release --product vigil-fleet

.PHONY: hostile
hostile: setup
	@$(BUILD) -c release --product vigil-hostile

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

BOARD ?= qemu-x86_64

.PHONY: image
image: setup ## Makes a disk image for BOARD=… from Debian 13's packages; a quarter of an hour the first time, needs root
	@./Tools/setup.sh image $(if $(findstring arm64,$(BOARD)),image-arm64)
	@SWIFT="$(SWIFT)" ./Board/image/build.py $(BOARD)

.PHONY: release-files
release-files: ## Makes the files of a release out of BOARD=…'s image: VERSION=1.2.0 KEY=… (an SSH key), or UNSIGNED=yes for a trial
	@./Tools/setup.sh release
	@./Board/image/release.py $(BOARD) --version "$(VERSION)" $(if $(UNSIGNED),--unsigned,--key "$(KEY)")

.PHONY: test-release
test-release: ## Makes a release out of a small disk and verifies it as whoever downloads it does; a quarter of a minute
	@./Tools/setup.sh release
	@./Tools/test-release.py

.PHONY: test-flash
test-flash: fleet ## Writes 20 cards at once onto loop devices, kills the station 50 times, measures it beside dd and bmaptool; FLASH=--short for a minute; needs root
	@./Tools/setup.sh image release
	@./Tools/test-flash.py $(RELEASE_BIN) $(FLASH)

.PHONY: test-image
test-image: release ## Starts that image in QEMU on a virtual air: heard, closed, two that meet, and a mute one that must fail; ten minutes
	@./Tools/setup.sh image vm $(if $(findstring arm64,$(BOARD)),image-arm64) $(if $(filter exposed fleet hostile,$(SCENARIOS)),servers) $(if $(filter fleet,$(SCENARIOS)),labels release)
	@[ -e .build/images/$(BOARD)/disk.img ] || ./Board/image/build.py $(BOARD)
	@BOARD=$(BOARD) ./Tools/test-image.py $(RELEASE_BIN) $(SCENARIOS)

.PHONY: try-image
try-image: release ## Starts that image with CARD=… in it, in QEMU, and brings its page to your browser; without CARD, says how to make one
	@./Tools/setup.sh image vm
	@[ -e .build/images/$(BOARD)/disk.img ] || ./Board/image/build.py $(BOARD)
	@BOARD=$(BOARD) ./Tools/try-image.py $(RELEASE_BIN) $(CARD)

.PHONY: test-pi
test-pi: ## Looks at the image for Raspberry Pi as a Pi does, and starts it on QEMU's Pi 3 (no Bluetooth there)
	@./Tools/setup.sh image image-arm64
	@./Tools/test-pi-image.py $(PARTS)

.PHONY: figures
figures: release servers firmware ## Memory, time and bytes of a whole board that catches up a fortnight; ten minutes, needs root
	@mkdir -p .build/board
	@for name in vigil vigil-zip vigil-plugins vigil-jail; do cp $(FIRMWARE_BIN)/$$name.stripped .build/board/$$name; done
	@cp $(RELEASE_BIN)/vigil-lab $(RELEASE_BIN)/vigil-authority .build/board/
	@./Tools/figures.py .build/board

.PHONY: test-memory
test-memory: release servers ## Memory of a whole board, idle and catching up, against its thresholds; two minutes, needs root
	@./Tools/figures.py $(RELEASE_BIN) --short

.PHONY: conformance
conformance: release ## Runs the test vectors of the tree; DIR=… for others
	@$(RELEASE_BIN)/vigil-lab conformance $(or $(DIR),Tests/Vectors/gaen)

.PHONY: bench
bench: release firmware ## Measures against the thresholds in Benchmarks/thresholds.json
	@./Tools/setup.sh bench
	@status=0; for name in matching risk pairing memory instructions storage "calls --vigil $(FIRMWARE_BIN)/vigil.stripped" \
	    "intake --vigil $(FIRMWARE_BIN)/vigil.stripped" "core --vigil $(FIRMWARE_BIN)/vigil.stripped" \
	    "venue --vigil $(FIRMWARE_BIN)/vigil-plugins.stripped" "donation --vigil $(FIRMWARE_BIN)/vigil-plugins.stripped"; do \
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
test-constant-time: setup ## Shows under valgrind that the AES for own keys and encryption to an identity have no secret-dependent branch or address
	@./Tools/setup.sh bench
	@./Tools/test-constant-time.sh

.PHONY: test-vm
test-vm: release ## Two boards on Debian's kernel in QEMU exchange identifiers; also on a silent air
	@./Tools/setup.sh vm
	@./Tools/test-vm.sh $(RELEASE_BIN)

.PHONY: test-gpio
test-gpio: release ## Lights and button on a kernel with simulated lines, built from Debian's source the first time (a quarter of an hour)
	@./Tools/setup.sh gpio
	@./Tools/test-gpio.sh $(RELEASE_BIN)

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

.PHONY: old-kernel
old-kernel:
	@mkdir -p .build && gcc -Wall -Wextra -Werror -O2 -o .build/old-kernel Tools/old-kernel.c -lseccomp

.PHONY: test-old-kernel
test-old-kernel: setup servers old-kernel ## What starts real processes, as on a kernel before Linux 6.16, in which no socket refuses descriptors; FILTER=… for a part
	@$(BUILD) --build-tests
	@.build/old-kernel $(SWIFT) test --skip-build --filter '$(or $(FILTER),SystemTests)'

.PHONY: test-egress
test-egress: release servers ## The way out, in a network of its own with a name server of its own
	@./Tools/test-egress.sh $(RELEASE_BIN)

.PHONY: test-docs
test-docs: release ## Runs the commands of docs/plugins.md on a whole board; seconds, needs root
	@./Tools/test-docs.py $(RELEASE_BIN)

.PHONY: test-reality
test-reality: release ## A board records and is replayed; captures of real phones, and the figures of docs/how-good-is-it.md; a minute
	@./Tools/test-reality.py $(RELEASE_BIN)

.PHONY: test-together
test-together: release servers ## Authority, nginx, mosquitto and two whole boards; needs root
	@./Tools/together.py $(RELEASE_BIN)

.PHONY: test-hostile-servers
test-hostile-servers: release servers ## Hostile input at every endpoint of the authority's servers; fetches Schemathesis
	@./Tools/setup.sh interop
	@./Tools/test-hostile-servers.py $(RELEASE_BIN)

.PHONY: test-enrolment
test-enrolment: release fleet servers ## Boards enrol at a registration authority behind nginx, and renew; two minutes, needs root
	@./Tools/test-enrolment.py $(RELEASE_BIN)
	@./Tools/test-enrolling-boards.py $(RELEASE_BIN)
	@./Tools/setup.sh tokens
	@./Tools/test-token.py $(RELEASE_BIN)

.PHONY: test-configuration
test-configuration: release servers ## A fleet's configuration goes to two boards in two waves, and a bad one takes itself back; five minutes, needs root
	@$(BUILD) -c release --product vigil-fleet
	@./Tools/test-configuration.py $(RELEASE_BIN)

.PHONY: test-donations
test-donations: release fleet servers ## A donation with real issuer, server, authority and three whole boards; four minutes, needs root
	@./Tools/test-donations.py $(RELEASE_BIN)

.PHONY: test-traces
test-traces: release servers ## Does any address of a board stand anywhere at an authority? nginx and mosquitto as shipped; a minute, needs root
	@./Tools/test-traces.py $(RELEASE_BIN)

.PHONY: test-wire
test-wire: release servers ## Can anybody on the wire tell who was tested? A quarter of an hour, needs root; fetches scikit-learn
	@./Tools/setup.sh interop
	@./Tools/test-wire.py $(RELEASE_BIN)

.PHONY: test-warnings
test-warnings: release servers ## From a laboratory's result to another's risk on whole boards; then 1,000 power cuts; half an hour, needs root
	@./Tools/test-warnings.py $(RELEASE_BIN) --cuts 1000 --boards 4

.PHONY: test-authorities
test-authorities: release ## Whole boards that follow other authorities, alone and together; five minutes, needs root
	@./Tools/test-authorities.py $(RELEASE_BIN)

.PHONY: test-warnings-of-others
test-warnings-of-others: release servers ## Power cuts in warnings by Google's and the NHS's ways, 1,000 each; two hours, needs root
	@./Tools/test-warnings.py $(RELEASE_BIN) --way ens --cuts 1000 --boards 4
	@./Tools/test-warnings.py $(RELEASE_BIN) --way nhs --cuts 1000 --boards 4

.PHONY: test-statements
test-statements: release servers ## What people state about symptoms, to what whole boards tell those they met: 60 rows of the table; half an hour, needs root
	@./Tools/test-statements.py $(RELEASE_BIN) --rows 60

.PHONY: test-revocation
test-revocation: release servers ## Warnings taken back by two people, and what whole boards say of it; a minute, needs root
	@./Tools/test-revocation.py $(RELEASE_BIN)

.PHONY: test-succession
test-succession: release servers ## A stolen signing key taken out of force: operator, authority, sync and a whole board; a minute, needs root
	@./Tools/test-succession.py $(RELEASE_BIN)

.PHONY: test-web
test-web: release servers ## The local page in a real browser, every story in four languages, and under attack; half an hour, needs root
	@./Tools/setup.sh browser
	@./Tools/test-web.sh $(RELEASE_BIN)

.PHONY: test-card-page
test-card-page: servers ## The page that makes cards, in a real browser opened from a disk; a minute
	@./Tools/setup.sh browser labels
	@$(BUILD) --product vigil-fleet
	@./Tools/with-browser.sh test-card-page.py .build/debug

.PHONY: pictures
pictures: release servers ## Takes docs/images/web and docs/images/page.png anew, of the pages as they are today; needs root
	@./Tools/setup.sh browser
	@./Tools/test-web.sh $(RELEASE_BIN) --only pictures
	@./Tools/page-picture.sh $(RELEASE_BIN)

.PHONY: test-faults
test-faults: release servers ## Whole boards catch up 14 days through a server that does everything wrong; three minutes, needs root
	@./Tools/test-faults.py $(RELEASE_BIN)

.PHONY: test-hostile
test-hostile: release hostile ## Hostile plugins on a whole board: what they gain, and what the others notice; needs root
	@./Tools/hostile-board.py $(RELEASE_BIN)

.PHONY: test-waits
test-waits: release hostile ## Can a plugin make another process wait? Every way, with and without each line of defence; four minutes, needs root
	@./Tools/hostile-waits.py $(RELEASE_BIN)

.PHONY: test-generator
test-generator: release hostile ## System calls at random by a plugin in its jail, from a fixed seed, judged by what others notice; two minutes, needs root
	@./Tools/hostile-generator.py $(RELEASE_BIN) --seconds 60 --seed 1

.PHONY: format
format: ## Formats the Swift sources
	@$(SWIFT) format --in-place --recursive Sources Plugins Tests Fuzz/Sources Package.swift Fuzz/Package.swift

INTERFACES = Sources/IPC/Interfaces
GENERATE = .build/debug/vigil-generate $(INTERFACES)/Texts $(INTERFACES)/Generated docs/access.md

.PHONY: generate
generate: ## Makes again what is made from other files: Swift from the interface texts, the evidence from its records, the map of targets from Package.swift
	@$(BUILD) --product vigil-generate
	@$(GENERATE)
	@./Tools/evidence.py
	@SWIFT="$(SWIFT)" ./Tools/draw-map.py

.PHONY: lint-text
lint-text: ## The part of lint that needs nothing built: formatting, shell scripts, Python, spelling, links, evidence, claims and seeds of tests
	@./Tools/setup.sh lint
	@$(SWIFT) format lint --strict --recursive Sources Plugins Tests Fuzz/Sources Package.swift Fuzz/Package.swift
	@shellcheck Tools/*.sh Tools/vm/*.sh Tools/vm/guest/*.sh Tools/gpio/*.sh .ci/run .ci/calculations .ci/story Board/image/init Board/image/fetch Board/image/fetch-library Board/image/root/usr/lib/vigil/*
	@./Tools/check-claims.py
	@./Tools/lint.sh

.PHONY: lint
lint: lint-text ## Checks formatting, shell scripts, Python, spelling, links, evidence, the map of targets, what is generated from interface texts, the tests that docs name for their claims, the seeds of tests, what the firmware links
	@SWIFT="$(SWIFT)" ./Tools/draw-map.py --check
	@$(BUILD) --product vigil-generate
	@$(GENERATE) --check
	@./Tools/lint-firmware.sh $(RELEASE_BIN)

.PHONY: prepush
prepush: lint test ## What to run before pushing

.PHONY: clean
clean: ## Removes everything that was built
	@rm -rf .build Fuzz/.build
