# The gateway as an image: `docker build -t niuma .`, or `docker compose up --build`. README.md says how to run it.
ARG PYTHON=3.11-slim-bookworm

# Build: what the lock names for the product and for building its wheel, each file checked by its hash. Nothing that
# only tests need, and nothing is compiled.
FROM python:${PYTHON} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
COPY pyproject.toml requirements.lock ./
COPY .ci/locked .ci/locked
RUN python .ci/locked build > /tmp/build.lock \
 && python .ci/locked runtime > /tmp/runtime.lock \
 && python -m venv /opt/build \
 && python -m venv /opt/niuma \
 && /opt/build/bin/pip install --require-hashes --only-binary :all: -r /tmp/build.lock \
 && /opt/niuma/bin/pip install --require-hashes --only-binary :all: -r /tmp/runtime.lock
COPY README.md LICENSE ./
COPY config config
COPY skills skills
COPY channels channels
COPY engine engine
COPY gateway gateway
RUN /opt/build/bin/python -m hatchling build -t wheel -d /tmp/wheels \
 && /opt/niuma/bin/pip install --no-deps --no-index /tmp/wheels/*.whl \
 && /opt/niuma/bin/pip check \
 && /opt/niuma/bin/pip uninstall --yes --quiet pip

FROM python:${PYTHON}
LABEL org.opencontainers.image.title="niuma" \
      org.opencontainers.image.description="A chat-platform bot gateway: Feishu, Slack and DingTalk feed one agent engine." \
      org.opencontainers.image.licenses="Apache-2.0"
# tini hands signals on and buries what tools leave behind; bubblewrap is tried at the start, and works in a container
# only with the rights of the profile `sandbox` in compose.yaml.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap tini \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 niuma \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin niuma \
 && install -d -o 10001 -g 10001 -m 0700 /data /data/workspaces
COPY --from=build /opt/niuma /opt/niuma
# NIUMA_CONTAINER: as root, `niuma serve` refuses to start here. 0.0.0.0 is this container's network, and needs NIUMA_TOKEN.
ENV PATH=/opt/niuma/bin:/usr/local/bin:/usr/bin:/bin \
    HOME=/data \
    NIUMA_HOME=/data \
    NIUMA_CONTAINER=1 \
    NIUMA_SERVER__HOST=0.0.0.0 \
    NIUMA_SERVER__PORT=8787 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
VOLUME /data
WORKDIR /data
USER 10001:10001
EXPOSE 8787
STOPSIGNAL SIGTERM
# Alive, not ready: a replica whose platform is away is restarted by nobody. /readyz is for load balancers.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["python", "-c", "import http.client, os; c = http.client.HTTPConnection('127.0.0.1', int(os.environ['NIUMA_SERVER__PORT']), timeout=4); c.request('GET', '/healthz'); raise SystemExit(c.getresponse().status != 200)"]
ENTRYPOINT ["tini", "--", "niuma"]
CMD ["serve"]
