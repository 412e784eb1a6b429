# make gate     every fault script and negative case against the release build
# make test     the tests
# make install  PREFIX=/usr/local, DESTDIR=
# make bench    our engines and their peers side by side
# make lint     the format, as CI checks it
# make setup    what Debian and PyPI must provide; the others run it first
# make clean    every build folder

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift

# The release build is what users get; it has a folder of its own, so that it can run beside the
# tests' debug build. The Swift library is inside: no start-up search, nothing to install.
RELEASE := .build-release
RELEASE_FLAGS := -c release --static-swift-stdlib --scratch-path $(RELEASE)
BIN := $(RELEASE)/release
SHARE := $(DESTDIR)$(PREFIX)/share/custody

.PHONY: gate test install bench lint setup clean release

gate: release
	$(BIN)/harness gate $(GATE_FLAGS)

test: setup
	mkdir -p .build
	rm -f .build/tests.xml
	$(SWIFT) test --disable-xctest --xunit-output .build/tests.xml $(TEST_FLAGS)

bench: release
	$(BIN)/harness bench $(BENCH_FLAGS)

release: setup
	$(SWIFT) build $(RELEASE_FLAGS) --product custody
	$(SWIFT) build $(RELEASE_FLAGS) --product harness

install: release
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(SHARE)"
	install -m 755 $(BIN)/custody $(BIN)/harness "$(DESTDIR)$(PREFIX)/bin"
	rm -rf "$(SHARE)/FaultScripts" "$(SHARE)/Fixtures/cards"
	install -d "$(SHARE)/Fixtures"
	cp -R FaultScripts "$(SHARE)/FaultScripts"
	cp -R Fixtures/cards "$(SHARE)/Fixtures/cards"

lint:
	$(SWIFT) format lint --strict --parallel --recursive Sources Harness Tests Plugins Package.swift

setup:
	@Harness/setup

clean:
	rm -rf .build .build-release
