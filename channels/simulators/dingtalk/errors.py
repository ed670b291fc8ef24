"""What the platform answers when it refuses.

```text
ApiError        api.dingtalk.com: an HTTP status, a code in words, a message
OapiError       oapi.dingtalk.com: HTTP 200 and an errcode
ConnectionCut   a fault rule cuts the connection; nothing is answered
```
"""

from __future__ import annotations

from channels.simulators.jsons import Json

MESSAGES = {
    "authFailed": "鉴权失败",
    "systemError": "系统错误",
    "invalidClientIdOrSecret": "无效的clientId或者clientSecret",
    "InvalidAuthentication": "不合法的access_token",
    "unknownError": "未知错误",
    "InvalidAction.NotFound": "Specified api is not found, please check your url and method.",
    "system.busy": "系统繁忙",
    "param.cardAlreadyExist": "卡片已存在",
    "param.cardNotExist": "卡片不存在",
    "param.templateUnpublished": "卡片模板未发布",
    "param.templateNotExist": "卡片模板不存在",
    "param.stream.content": "content is too large",
    "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi": "请求过于频繁，触发了应用对该接口的QPS限制，请1秒后重试",
    "Forbidden.AccessDenied.ApiCountLimitForOrg": "企业当月API调用量已达上限",
    "Forbidden.AccessDenied.AccessTokenPermissionDenied": "应用尚未开通所需的权限",
}

ERRCODES = {
    40004: "不合法的媒体文件类型",
    40006: "不合法的文件大小",
    40014: "不合法的access_token",
    40035: "不合法的参数",
    130101: "send too fast",
    300001: "session 不存在",
    460101: "消息体过长，超过20000字节",
}


class ApiError(Exception):
    """A refusal of api.dingtalk.com; `more` stands beside code and message in the body."""

    def __init__(self, code: str, message: str = "", *, status: int = 400, more: Json | None = None) -> None:
        self.headers: dict[str, str] = {}
        self.code = code
        self.status = status
        self.text = message or MESSAGES.get(code, code)
        self.more = more or {}
        super().__init__(f"{code}: {self.text}")


class OapiError(Exception):
    """A refusal of oapi.dingtalk.com: HTTP 200 with an errcode in the body."""

    def __init__(self, errcode: int, message: str = "") -> None:
        self.code = errcode
        self.text = message or ERRCODES.get(errcode, "error")
        super().__init__(f"{errcode}: {self.text}")


class ConnectionCut(Exception):
    """The connection is cut by a fault rule."""
