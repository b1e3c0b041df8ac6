# Every command for developers; `make` alone prints them.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run test ci fmt fmt-check clippy docs tidy smoke postgres migration fuzz-text-mode prerequisites

TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)

# A build from nothing is quicker without the bookkeeping for the next one.
ifdef CI
export CARGO_INCREMENTAL := 0
endif

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The development build: minutes sooner than PROFILE=release, and the one that the tests have already made.
# `--workspace` is what lets them share it: cargo would pick other features for the server alone.
run: prerequisites ## Build and serve on http://127.0.0.1:8080; PROFILE=release for an optimized build
	@if [ -z "$$DATABASE_URL" ]; then scripts/fetch-postgres.sh; else echo "Using the database of DATABASE_URL"; fi
ifeq ($(PROFILE),release)
	cargo build --locked --release -p attest-server
	@exec $(TARGET_DIR)/release/attest serve
else
	@echo "Building for development; 'make run PROFILE=release' builds an optimized server."
	cargo build --locked --workspace --bins
	@exec $(TARGET_DIR)/debug/attest serve
endif

test: prerequisites postgres ## Run every test, each on a database of its own
	cargo test --locked --workspace --no-run
	$(TARGET_DIR)/debug/with-test-cluster cargo test --locked --workspace --no-fail-fast

# Checks first, cheapest first; the smoke test last, on the build that the tests have made.
ci: fmt-check clippy docs test smoke ## Everything that must pass before a change lands

fmt: ## Format the code
	cargo fmt --all

fmt-check: prerequisites ## Check the formatting
	cargo fmt --all --check

clippy: prerequisites ## Check for lints; a warning is an error
	cargo clippy --locked --workspace --all-targets -- -D warnings

docs: prerequisites ## Build the API documentation; a broken link is an error
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps

tidy: prerequisites ## Run the house rules alone
	cargo test --locked -p attest-tidy

smoke: prerequisites ## Start the real thing, ask it a question by curl, stop it by Ctrl-C
	scripts/smoke.sh

fuzz-text-mode: prerequisites ## Throw 20000 broken replies at each property of text mode
	PROPTEST_CASES=20000 cargo test --locked -p attest-llm --test text_mode properties

postgres: ## Fetch PostgreSQL for the private database (14 MB), or say which one is used
	@scripts/fetch-postgres.sh

migration: ## Make an empty migration: make migration name=add_document_language
	@scripts/new-migration.sh "$(name)"

prerequisites:
	@scripts/prerequisites.sh
