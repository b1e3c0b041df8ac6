# The service alone: it needs a PostgreSQL beside it, named in DATABASE_URL (docker-compose.yml has both).

FROM rust:1.95-slim-bookworm AS build
WORKDIR /src
COPY . .
# The caches live outside the image's layers, so an unchanged dependency is not built again.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --locked --release -p attest-server --bin attest \
    && cp target/release/attest /usr/local/bin/attest

FROM debian:bookworm-slim
# Certificates for model endpoints over https.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /var/lib/attest --create-home attest \
    && install -d -o attest -g attest /var/lib/attest/data
COPY --from=build /usr/local/bin/attest /usr/local/bin/attest
USER attest
WORKDIR /var/lib/attest
# The search index, which can be made again from the database at any time.
VOLUME /var/lib/attest/data
ENV ATTEST__HTTP__LISTEN=0.0.0.0:8080 \
    ATTEST__DATA__DIR=/var/lib/attest/data
EXPOSE 8080
# The image has no curl; bash can speak this much HTTP.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["attest"]
CMD ["serve"]
