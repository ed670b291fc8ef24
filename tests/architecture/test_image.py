"""What Dockerfile, compose.yaml and .env.example promise; a real trial: `tests/contract/test_image_trial.py`."""

from __future__ import annotations

import fnmatch
import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from gateway.settings import load_settings
from tests.architecture.tree import ROOT, project
from tests.processes.dockerfile import environment, health_command, last, stages
from tests.processes.image import USER, runtime_packages

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
GATEWAYS = [name for name in SERVICES if name.startswith("gateway")]
TEXTS = ("Dockerfile", "compose.yaml", ".env.example", ".dockerignore")


def test_no_word_about_where_to_fetch() -> None:
    for name in TEXTS:
        text = (ROOT / name).read_text("utf-8")
        assert not re.search(r"https?://|--(extra-)?index|--find-links|--trusted-host|@sha256", text), name


def test_both_stages_begin_with_the_same_python_that_we_support() -> None:
    build, final = stages()
    assert [build[0].rest, final[0].rest] == ["python:${PYTHON} AS build", "python:${PYTHON}"]
    [tag] = re.findall(r"(?m)^ARG PYTHON=(\S+)$", (ROOT / "Dockerfile").read_text("utf-8"))
    version = re.match(r"3\.(\d+)-slim-[a-z]+$", tag)
    assert version and int(version[1]) >= 11


def test_everything_installed_is_hashed_and_no_source_is_compiled() -> None:
    installs = [each for stage in stages() for step in stage if step.word == "RUN" for each in step.rest.split("&&")]
    pips = [each for each in installs if "pip install" in each]
    assert len(pips) == 3
    for each in pips:
        is_own = "--no-deps --no-index" in each and each.rstrip().endswith("/tmp/wheels/*.whl")
        assert is_own or ("--require-hashes" in each and "--only-binary :all:" in each), each


def test_the_image_gets_what_the_product_imports_and_nothing_more() -> None:
    """The lock's comments say the same as what the packages themselves say."""
    needed = needed_by("niuma") - {"niuma"}
    named = runtime_packages()
    assert needed - named == set()
    elsewhere = {name for name in named - needed if f"\n{name}==" in LOCK and " ; " in line_of(name)}
    assert named - needed - elsewhere == set()
    tests = {Requirement(each).name for each in project()["project"]["optional-dependencies"]["test"]}
    assert tests & named == set()


def test_everything_copied_is_there_and_let_through() -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    let_through = [line[1:] for line in ignored if line.startswith("!")]
    assert "*" in ignored
    copied = [word for step in stages()[0] if step.word == "COPY" for word in step.rest.split()[:-1]]
    assert copied
    for word in copied:
        assert (ROOT / word).exists(), word
        assert any(fnmatch.fnmatch(word, each) for each in let_through), word
    packed = project()["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert {*packed["packages"], *packed["force-include"]} <= set(copied)


def test_the_image_runs_without_root_and_gets_its_signals() -> None:
    assert last("USER").rest == f"{USER}:{USER}"
    assert last("ENTRYPOINT").words == ["tini", "--", "niuma"]
    assert last("CMD").words == ["serve"]
    assert last("STOPSIGNAL").rest == "SIGTERM"
    assert last("VOLUME").rest == environment()["NIUMA_HOME"] == environment()["HOME"] == "/data"
    assert last("EXPOSE").rest == environment()["NIUMA_SERVER__PORT"]
    assert environment()["PYTHONDONTWRITEBYTECODE"] == environment()["NIUMA_CONTAINER"] == "1"
    assert health_command()[0] == "python" and "/healthz" in health_command()[-1]
    words = [step.word for step in stages()[-1]]
    assert words.index("USER") > max(index for index, word in enumerate(words) if word in ("RUN", "COPY"))


@pytest.mark.parametrize("name", GATEWAYS)
def test_a_gateway_has_no_rights_and_nothing_to_write_to(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["user"] == last("USER").rest
    assert service["cap_drop"] == ["ALL"] and "cap_add" not in service and "privileged" not in service
    assert "no-new-privileges:true" in service["security_opt"]
    assert [each.split(":")[0] for each in service["tmpfs"]] == ["/tmp"]
    assert [each.split(":")[-1] for each in service["volumes"]] == ["/data", "/data/workspaces"]
    assert service["deploy"]["resources"]["limits"].keys() == {"cpus", "memory", "pids"}


@pytest.mark.parametrize("name", GATEWAYS)
def test_a_gateway_can_have_twins(name: str) -> None:
    """No name, port or folder of which there can be only one; the folder that is locked is each container's own."""
    service = SERVICES[name]
    assert not {"container_name", "ports", "hostname"} & service.keys()
    assert "/data" in service["volumes"]
    assert not any(each.endswith(":/data") for each in service["volumes"])


def test_only_the_sandbox_profile_takes_walls_down_and_says_what_that_costs() -> None:
    plain, sandbox = SERVICES["gateway"], SERVICES["gateway-sandbox"]
    assert plain["security_opt"] == ["no-new-privileges:true"]
    assert sandbox["profiles"] == ["sandbox"] and "profiles" not in plain
    assert {"seccomp:unconfined", "apparmor:unconfined", "systempaths=unconfined"} <= set(sandbox["security_opt"])
    assert {**sandbox, "security_opt": 0, "profiles": 0} == {**plain, "security_opt": 0, "profiles": 0}
    text = (ROOT / "compose.yaml").read_text("utf-8")
    assert "What it needs" in text and "What it costs" in text


def test_a_gateway_waits_for_postgres_and_has_time_to_drain() -> None:
    for name in GATEWAYS:
        assert SERVICES[name]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
        drain_s = tomllib.loads((ROOT / "config" / "default.toml").read_text("utf-8"))["runs"]["drain_s"]
        assert int(SERVICES[name]["stop_grace_period"].removesuffix("s")) >= drain_s + 10
        assert SERVICES[name]["restart"] == "unless-stopped"


def test_postgres_is_healthy_kept_and_reached_from_here_alone() -> None:
    service = SERVICES["postgres"]
    assert service["healthcheck"]["test"][:2] == ["CMD", "pg_isready"]
    assert "postgres:/var/lib/postgresql/data" in service["volumes"] and "postgres" in COMPOSE["volumes"]
    assert service["networks"] == ["database"] and COMPOSE["networks"]["database"] == {"internal": True}
    assert "ports" not in service and service["cap_drop"] == ["ALL"]


def test_every_variable_of_the_example_is_a_setting_and_no_secret_is_written_out(tmp_path: Path) -> None:
    text = (ROOT / ".env.example").read_text("utf-8")
    lines = re.findall(r"(?m)^#?([A-Z][A-Z0-9_]*)=(.*)$", text)
    filled = {name: value or f"some-{name.lower()}" for name, value in lines}
    assert {"POSTGRES_PASSWORD", "NIUMA_TOKEN"} <= filled.keys()
    assert {name for name, value in lines if value} == {"NIUMA_MODELS__DEFAULT", "NIUMA_MODELS__MAIN__MODEL", "LANG"}
    own = environment() | filled | {"NIUMA_DATABASE__URL": "postgresql://niuma:x@postgres/niuma"}
    settings = load_settings(tmp_path, None, own)
    found, problems = settings.usable_accounts()
    assert not problems
    assert {each.channel for each in found} == {"feishu", "slack", "dingtalk"}
    required = set(re.findall(r"\$\{([A-Z_]+):\?", (ROOT / "compose.yaml").read_text("utf-8")))
    assert required == {name for name, _ in re.findall(r"(?m)^([A-Z][A-Z0-9_]*)=(.*)$", text)}
    assert ".env" in (ROOT / ".gitignore").read_text("utf-8").splitlines()


LOCK = "\n" + (ROOT / "requirements.lock").read_text("utf-8")


def line_of(name: str) -> str:
    return LOCK.partition(f"\n{name}==")[2].partition("\n")[0]


def needed_by(name: str) -> set[str]:
    """Give what a package needs here, and what those need, with the extras they ask for."""
    found: dict[str, set[str]] = {}
    due: list[tuple[str, set[str]]] = [(name, set())]
    while due:
        one, extras = due.pop()
        if one in found and extras <= found[one]:
            continue
        found.setdefault(one, set()).update(extras)
        for line in metadata.requires(one) or []:
            asked = Requirement(line)
            if asked.marker is None or any(asked.marker.evaluate({"extra": each}) for each in ("", *found[one])):
                due.append((re.sub(r"[-_.]+", "-", asked.name).lower(), set(asked.extras)))
    return set(found)
