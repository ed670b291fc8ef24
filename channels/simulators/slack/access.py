"""Who speaks, with which token and scopes, and which chats he may use."""

from __future__ import annotations

from channels.simulators.jsons import Json
from channels.simulators.slack.catalogue import GRANTED, KINDS, Method
from channels.simulators.slack.errors import ApiError
from channels.simulators.slack.options import Options
from channels.simulators.slack.world import App, Chat, World


class Access:
    """Checks tokens, scopes and chats."""

    def __init__(self, world: World, options: Options) -> None:
        self._world = world
        self._options = options

    def check(self, header: str | None, args: Json, method: Method) -> App:
        """Give the app that a call speaks for.

        Raises:
            ApiError: `not_authed`, `invalid_auth`, `not_allowed_token_type`, `account_inactive`, `token_revoked`.
        """
        token = bearer(header) or str(args.get("token") or "")
        if not token:
            raise ApiError("not_authed")
        app, kind = self._owner(token)
        if app is None:
            raise ApiError("invalid_auth")
        if method.token not in ("any", kind):
            raise ApiError("not_allowed_token_type")
        if not app.installed:
            raise ApiError("account_inactive")
        if app.revoked:
            raise ApiError("token_revoked")
        return app

    def bot_of(self, header: str | None) -> App | None:
        """Give the app whose bot token a header carries, when it is a good one."""
        app, kind = self._owner(bearer(header))
        return app if app is not None and kind == "bot" and app.installed and not app.revoked else None

    def scopes(self) -> list[str]:
        """Give the scopes every app was granted."""
        return [each for each in GRANTED if each not in self._options.withheld_scopes]

    def has(self, scope: str) -> bool:
        """Tell whether apps were granted a scope."""
        return scope in self.scopes()

    def granted(self, method: Method) -> dict[str, str]:
        """Give the headers that every answer to a bot carries."""
        scopes = "connections:write" if method.token == "app" else ",".join(self.scopes())
        return {"x-oauth-scopes": scopes, "x-accepted-oauth-scopes": method.scope}

    def check_scopes(self, app: App, method: Method, args: Json) -> None:
        """Refuse with `missing_scope`, naming what is needed and provided.

        Raises:
            ApiError: the scope is not granted.
        """
        if not method.scope or method.token == "app":
            return
        chat = self._world.chats.get(str(args.get("channel") or ""))
        scope = method.scope.format(kind=KINDS[chat.type] if chat is not None else "channels")
        if not self.has(scope):
            raise ApiError("missing_scope", needed=scope, provided=",".join(self.scopes()))

    def chat(self, app: App, chat_id: str) -> Chat:
        """Give a chat the app may know of.

        Raises:
            ApiError: `channel_not_found`; also for private channels and direct chats the bot is not in.
        """
        chat = self._world.chats.get(chat_id)
        if chat is None or (chat.type != "channel" and app.app_id not in chat.bots):
            raise ApiError("channel_not_found")
        return chat

    def open_chat(self, app: App, chat_id: str) -> Chat:
        """Give a chat the app may know of and that is in use.

        Raises:
            ApiError: `channel_not_found`, `is_archived`.
        """
        chat = self.chat(app, chat_id)
        if chat.archived:
            raise ApiError("is_archived")
        return chat

    def member_chat(self, app: App, chat_id: str) -> Chat:
        """Give a chat the bot is in.

        Raises:
            ApiError: `channel_not_found`, `not_in_channel`.
        """
        chat = self.chat(app, chat_id)
        if app.app_id not in chat.bots:
            raise ApiError("not_in_channel")
        return chat

    def writable_chat(self, app: App, chat_id: str) -> Chat:
        """Give a chat the bot may write to; a person's id stands for their direct chat.

        Raises:
            ApiError: `channel_not_found`, `not_in_channel`, `is_archived`.
        """
        if chat_id in self._world.people:
            return self._world.direct_chat(app.app_id, chat_id)
        chat = self.chat(app, chat_id) if self.has("chat:write.public") else self.member_chat(app, chat_id)
        if chat.archived:
            raise ApiError("is_archived")
        return chat

    def _owner(self, token: str) -> tuple[App | None, str]:
        for app in self._world.apps.values():
            if token in (app.bot_token, app.app_token):
                return app, "bot" if token == app.bot_token else "app"
        return None, ""


def bearer(header: str | None) -> str:
    """Give the token of an Authorization header; empty when there is none."""
    kind, _, value = (header or "").partition(" ")
    return value.strip() if kind.lower() == "bearer" else ""
