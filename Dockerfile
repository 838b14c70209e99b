# The image of rlrun_exporter: built and run on Debian 12. It holds the binary,
# its libraries and the rules and dashboards, runs as user 65532, needs no shell
# and no writable file system.
#   docker build --tag rlrun-exporter:0.1.0 .
#   docker run --rm --read-only -p 10190:10190 -v /data/runs:/data/runs:ro \
#     rlrun-exporter:0.1.0 /data/runs
FROM debian:12-slim AS build
WORKDIR /src
COPY scripts/install-deps.sh scripts/install-deps.sh
RUN apt-get update && scripts/install-deps.sh build
COPY . .
ARG REVISION=unknown
RUN cmake -S . -B /build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DRLRUN_TESTS=OFF -DRLRUN_REVISION=${REVISION}
RUN ninja -C /build rlrun_exporter manual
RUN cd /build && cpack -G DEB

FROM debian:12-slim
COPY --from=build /build/rlrun-exporter_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/rlrun-exporter_*.deb && rm -rf /tmp/*.deb /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log
ARG REVISION=unknown
LABEL org.opencontainers.image.title="rlrun_exporter" \
      org.opencontainers.image.description="Prometheus exporter for reinforcement-learning training runs" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="${REVISION}"
USER 65532:65532
EXPOSE 10190
ENTRYPOINT ["/usr/bin/rlrun_exporter"]
