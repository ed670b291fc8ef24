"""The image as it runs: no rights, a read-only root, only /data and /tmp to write to (`tests/processes/image.py`)."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.processes.dockerfile import health_command, last
from tests.processes.feishu import feishu_world
from tests.processes.gateway import GatewayProcess
from tests.processes.image import USER, Image, build
from tests.processes.postgres import PostgresPlace, empty_database

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

SECRET = "token-of-the-trial"


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    return build(tmp_path_factory.mktemp("image"))


@pytest.fixture
def database() -> Iterator[PostgresPlace]:
    with empty_database() as database:
        yield database


@asynccontextmanager
async def started(image: Image, log: Path, **variables: str) -> AsyncIterator[GatewayProcess]:
    """Start what the image starts, without tini."""
    words = [each for each in last("ENTRYPOINT").words if each not in ("tini", "--")] + last("CMD").words
    with log.open("ab") as stderr:
        command, env = image.command(*words), image.variables(**variables)
        process = await asyncio.create_subprocess_exec(*command, env=env, stdout=stderr, stderr=stderr)
    gateway = GatewayProcess(process, log)
    try:
        yield gateway
    finally:
        gateway.kill()
        await gateway.ended()


def free_port() -> int:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


async def readiness(port: int) -> dict[str, Any]:
    async with aiohttp.ClientSession() as http, http.get(f"http://127.0.0.1:{port}/readyz") as response:
        return await response.json()


def written(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


async def test_a_question_is_answered_and_sigterm_drains(image: Image, database: PostgresPlace, tmp_path: Path) -> None:
    port = free_port()
    before = written(image.root)
    async with feishu_world() as world:
        account = {"APP_ID": "cli_demo", "APP_SECRET": "secret_demo", "DOMAIN": world.url}
        variables = {
            "NIUMA_TOKEN": SECRET,
            "NIUMA_SERVER__PORT": str(port),
            "NIUMA_DATABASE__URL": database.url,
            **{f"NIUMA_CHANNELS__FEISHU__MAIN__{key}": value for key, value in account.items()},
        }
        async with started(image, tmp_path / "log", **variables) as gateway:
            await world.connected()
            answer = await world.finished(await world.say("@niuma hello"), within_s=30)
            assert answer["card"]

            assert _user(gateway.pid) == (USER, 0)
            health = await asyncio.to_thread(image.run, *health_command(), NIUMA_SERVER__PORT=str(port))
            assert (health.returncode, health.stderr) == (0, "")

            async def noted() -> dict[str, Any] | None:
                told = await readiness(port)
                return told if told["notes"] else None

            told = await world.until(noted, within_s=10, why="the note about the sandbox")
            assert told["ready"] is True
            [note] = told["notes"]
            assert (note["name"], note["code"]) in {("sandbox", "sandbox_broken"), ("sandbox", "sandbox_missing")}
            assert "shell" in note["reason"] and note["fix"]

            gateway.terminate()
            assert await gateway.ended(30) == 0, gateway.log()
        dead = await asyncio.to_thread(image.run, *health_command(), NIUMA_SERVER__PORT=str(port))
        assert dead.returncode != 0
    assert written(image.root) == before
    assert "logs/niuma.log" in written(image.data)
    assert not [file for file in image.data.rglob("*") if file.stat().st_uid != USER]
    assert not re.search(r"Read-only file system|Permission denied|Traceback", gateway.log())
    assert not database.rows("SELECT id FROM nm_run WHERE status NOT IN ('done')")


def test_only_the_volume_and_tmp_can_be_written(image: Image) -> None:
    places = "/ /opt/niuma /etc /usr /packages /data /tmp"
    tried = f"for place in {places}; do touch $place/trial 2>/dev/null && echo $place; done; true"
    assert image.run("sh", "-c", tried).stdout.split() == ["/data", "/tmp"]
    as_root = image.run("sh", "-c", tried, root=True)
    assert as_root.stdout.split() == ["/data", "/tmp"]
    (image.data / "trial").unlink()


def test_no_test_package_is_there_and_what_is_bundled_is_found(image: Image) -> None:
    code = (
        "import importlib.util as u, json; from gateway.paths import config_folder, skills_folder;"
        "print(json.dumps([[n for n in ('pytest', 'playwright', 'hatchling', 'fastapi', 'tests') if u.find_spec(n)],"
        " (config_folder() / 'default.toml').is_file(), skills_folder().is_dir()]))"
    )
    done = image.run("python", "-c", code)
    assert (done.stderr, json.loads(done.stdout)) == ("", [[], True, True])


def test_root_is_refused(image: Image) -> None:
    refused = image.run("niuma", "serve", root=True, NIUMA_TOKEN=SECRET)
    assert refused.returncode == 2
    assert "this container runs as root" in refused.stderr and "server.allow_root = true" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_the_doctor_says_that_there_is_no_sandbox(image: Image) -> None:
    done = image.run("niuma", "doctor", "--offline", "--json", NIUMA_TOKEN=SECRET)
    [found] = [each for each in json.loads(done.stdout)["findings"] if each["name"] == "sandbox"]
    assert found["code"] in {"sandbox_broken", "sandbox_missing"}
    assert "shell and script tools stay off" in found["evidence"]


def _user(pid: int) -> tuple[int, int]:
    """Give whom a process runs as, and the capabilities it could get."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    [user] = re.findall(r"(?m)^Uid:\t(\d+)", status)
    [bounds] = re.findall(r"(?m)^CapBnd:\t([0-9a-f]+)", status)
    return int(user), int(bounds, 16)
