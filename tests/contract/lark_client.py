"""The vendor's own client against the simulator, in its own process (its import alone takes seconds).

Usage: python lark_client.py URL CHAT_ID. Prints one JSON object: what it received and what it was answered.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from typing import Any

import lark_oapi as lark
from lark_oapi.api.cardkit.v1 import (
    ContentCardElementRequest,
    ContentCardElementRequestBody,
    CreateCardRequest,
    CreateCardRequestBody,
)
from lark_oapi.api.im.v1 import ReplyMessageRequest, ReplyMessageRequestBody
from lark_oapi.event.callback.model.p2_card_action_trigger import P2CardActionTriggerResponse

URL = sys.argv[1]
APP = ("cli_demo", "secret_demo")
BUTTON = {"run": "r1", "action": "stop"}
CARD = {
    "schema": "2.0",
    "config": {"streaming_mode": True, "update_multi": True},
    "body": {
        "elements": [
            {"tag": "markdown", "element_id": "answer", "content": ""},
            {
                "tag": "button",
                "text": {"tag": "plain_text", "content": "Stop"},
                "behaviors": [{"type": "callback", "value": BUTTON}],
            },
        ]
    },
}
seen: dict[str, Any] = {"events": [], "clicks": []}
ended = threading.Event()
rest = lark.Client.builder().app_id(APP[0]).app_secret(APP[1]).domain(URL).build()


def answer(message_id: str) -> None:
    """Create a card, send it as a reply, stream on it, and repeat a sequence."""
    body = CreateCardRequestBody.builder().type("card_json").data(json.dumps(CARD)).build()
    made = rest.cardkit.v1.card.create(CreateCardRequest.builder().request_body(body).build())
    seen["create"] = made.code
    content = json.dumps({"type": "card", "data": {"card_id": made.data.card_id}})
    reply = ReplyMessageRequestBody.builder().msg_type("interactive").content(content).uuid("u1").build()
    sent = rest.im.v1.message.reply(ReplyMessageRequest.builder().message_id(message_id).request_body(reply).build())
    seen["reply"], seen["message_id"] = sent.code, sent.data.message_id
    seen["stream"] = [stream(made.data.card_id, text, sequence) for text, sequence in (("One", 1), ("One, two", 2))]
    seen["repeated"] = stream(made.data.card_id, "One, two, three", 2)
    sys.stdout.write(f"ready {seen['message_id']}\n")
    sys.stdout.flush()


def stream(card_id: str, text: str, sequence: int) -> int:
    """Write one element's text; gives the code."""
    body = ContentCardElementRequestBody.builder().content(text).sequence(sequence).build()
    request = ContentCardElementRequest.builder().card_id(card_id).element_id("answer").request_body(body).build()
    return rest.cardkit.v1.card_element.content(request).code


def on_message(event: Any) -> None:
    message = event.event.message
    seen["events"].append({"text": json.loads(message.content)["text"], "mention": message.mentions[0].id.open_id})
    threading.Thread(target=answer, args=(message.message_id,)).start()


def on_click(event: Any) -> P2CardActionTriggerResponse:
    seen["clicks"].append({"value": event.event.action.value, "by": event.event.operator.open_id})
    ended.set()
    return P2CardActionTriggerResponse({"toast": {"type": "success", "content": "Stopping"}})


async def main() -> None:
    handler = (
        lark.EventDispatcherHandler.builder("", "")
        .register_p2_im_message_receive_v1(on_message)
        .register_p2_card_action_trigger(on_click)
        .build()
    )
    lark.ws.client.loop = asyncio.get_running_loop()
    client = lark.ws.Client(*APP, event_handler=handler, domain=URL, log_level=lark.LogLevel.ERROR)
    await client._connect()
    pings = asyncio.create_task(client._ping_loop())
    await asyncio.to_thread(ended.wait, 20)
    await asyncio.sleep(0.2)
    client._auto_reconnect = False
    pings.cancel()
    client._cache._cron.cancel()
    await client._disconnect()


asyncio.run(main())
sys.stdout.write(json.dumps(seen) + "\n")
