"""F32, F62: files come from the platform's own hosts, wherever it redirects to, and the token goes nowhere else."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest
from aiohttp import web

from channels.dingtalk.http import HOSTS as DINGTALK
from channels.dingtalk.http import download as dingtalk
from channels.downloads import Door, get
from channels.errors import Rejected, TooLong
from channels.feishu.http import File, Request
from channels.feishu.http import download as feishu
from channels.slack.files import SLACK_HOSTS
from tests.processes.sites import PRIVATE, site

KEY = {"Authorization": "Bearer xoxb-secret"}


def door(base: str = "https://slack.com/api/", **more: Any) -> Door:
    return Door(base, SLACK_HOSTS, headers=KEY, trusts_suffixes=True, **more)


@pytest.mark.parametrize(
    "address",
    [
        "https://files.slack.com/files-pri/T1/a.png",
        "https://FILES.slack.com./a.png",
        "https://slack.com/api/a",
        "https://files.slack.com:443/a",
    ],
)
def test_the_platforms_hosts_are_let_in(address: str) -> None:
    assert door().lets_in(address) and door().headers_for(address) == KEY


@pytest.mark.parametrize(
    "address",
    [
        "http://files.slack.com/a.png",
        "https://files.slack.com.evil.example/a.png",
        "https://evilslack.com/a",
        "https://files.slack.com:8443/a",
        "https://files.slack.com@evil.example/a",
        "https://evil.example\\.slack.com/a",
        "https://169.254.169.254/latest/meta-data",
        "http://127.0.0.1:8787/",
        "http://[::ffff:127.0.0.1]/",
        "file:///etc/passwd",
        "https://files.slack.com:x/",
        "//files.slack.com/a",
        "",
    ],
)
def test_every_other_address_is_refused_and_gets_no_token_f62(address: str) -> None:
    assert not door().lets_in(address)
    assert door().headers_for(address) == {}


def test_storage_that_is_not_the_platforms_gets_no_token() -> None:
    own = Door("https://api.dingtalk.com", DINGTALK, takes_http=True, headers=KEY)
    assert own.lets_in("http://down.dingtalk.com/x") and own.lets_in("https://b.oss-cn-beijing.aliyuncs.com/x")
    assert own.headers_for("https://b.oss-cn-beijing.aliyuncs.com/x") == {}
    assert not own.lets_in("http://10.0.0.1/x")


async def test_a_redirect_to_elsewhere_is_refused_before_anything_is_asked_there_f62() -> None:
    async with site(lambda _: web.Response(body=b"inside"), PRIVATE) as inside:
        target = inside.url("/secret")

        def onward(request: web.Request) -> web.Response:
            places = {"/out": target, "/meta": "http://169.254.169.254/", "/round": "/round", "/twice": "/out"}
            if request.path in places:
                return web.Response(status=302, headers={"Location": places[request.path]})
            return web.Response(body=b"x" * 100, content_type="image/png")

        async with site(onward) as platform, aiohttp.ClientSession() as session:
            own = Door(platform.url(""), SLACK_HOSTS, headers=KEY)
            for path in ("/out", "/meta", "/twice"):
                with pytest.raises(Rejected) as refused:
                    await get(session, platform.url(path), own)
                assert refused.value.code == "file_elsewhere"
            with pytest.raises(Rejected, match="without end"):
                await get(session, platform.url("/round"), own)
            assert inside.headers == []
            # The same where the adapters fetch, with the size that may be.
            with pytest.raises(Rejected):
                await dingtalk(session, target, platform.url(""), max_bytes=1_000)
            with pytest.raises(TooLong):
                await dingtalk(session, platform.url("/file"), platform.url(""), max_bytes=99)
            request = Request("GET", platform.url("/out"), "GET /resources", query={}, token="t")
            with pytest.raises(Rejected):
                await feishu(session, request, max_bytes=1_000)
            assert inside.headers == []
            whole = await feishu(
                session, Request("GET", platform.url("/file"), "x", query={}, token="t"), max_bytes=100
            )
            assert isinstance(whole, File) and len(whole.content) == 100
