"""What an operator reads of lasting permissions (`niuma permissions`), in Chinese. Same keys as `permissions_en`."""

from __future__ import annotations

TEXTS = {
    "permissions.nothing_decided": "还没有任何审批记录。",
    "permissions.none": "没有长期授权。",
    "permissions.always": "{code}  始终：{tool} {covers}，由 {who} 批准，自 {since}",
    "permissions.conversation": "{code}  仅一个会话：{tool} {covers}，由 {who} 批准，自 {since}，{conversation}",
    "permissions.covers_command": "仅限：{what}",
    "permissions.covers_script": "当时内容的 {what}",
    "permissions.covers_paths": "限 {what}",
    "permissions.covers_hosts": "限 {what} 的任意地址",
    "permissions.covers_call": "限相同参数",
    "permissions.revoked": "{code} 已撤销：下一次同样的操作会再次询问。",
    "permissions.unknown": "没有 {code} 这项授权。",
    "permissions.rules_ok": "规则与角色文件可以读取。",
}
