"""Which addresses are public: told by the address itself, never by how it was spelled."""

from __future__ import annotations

from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_KINDS: dict[str, tuple[str, ...]] = {
    "unspecified": ("0.0.0.0/8", "::/128"),
    "loopback": ("127.0.0.0/8", "::1/128"),
    "private": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"),
    "shared by providers": ("100.64.0.0/10",),
    "link-local": ("169.254.0.0/16", "fe80::/10"),
    "a cloud's own": ("168.63.129.16/32",),
    "kept for protocols": ("192.0.0.0/24", "2001::/23", "5f00::/16", "100::/64"),
    "documentation": ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"),
    "benchmarking": ("198.18.0.0/15",),
    "6to4": ("192.88.99.0/24", "2002::/16"),
    "NAT64 of a local network": ("64:ff9b:1::/48",),
    "multicast": ("224.0.0.0/4", "ff00::/8"),
    "reserved": ("240.0.0.0/4",),
}
"""Source: IANA special-purpose address registries for IPv4 and IPv6, read 2026-11. Python's own `is_global` differs
between its patch releases. Teredo (2001::/32) lies in 2001::/23. 168.63.129.16 looks public but is a cloud's host."""

_CLOSED: tuple[tuple[Network, str], ...] = tuple(
    (ip_network(text), kind) for kind, texts in _KINDS.items() for text in texts
)
_GLOBAL_V6 = IPv6Network("2000::/3")
"""The only part of IPv6 that is given out to the public; the rest is closed, whatever it comes to mean."""
_NAT64 = IPv6Network("64:ff9b::/96")
"""A gateway turns these into the IPv4 address of their last four bytes. Source: RFC 6052, read 2026-11."""
_EVEN_WHERE_OPENED = frozenset({"unspecified", "link-local", "a cloud's own", "multicast", "reserved"})


def parse_address(text: str) -> Address | None:
    """Give the address that `text` spells in its usual form, also in brackets or with a zone; `None` for a name."""
    try:
        return ip_address(text.strip("[]"))
    except ValueError:
        return None


def reached(address: Address) -> Address:
    """Give the address that a connection ends at: IPv4 that is written inside IPv6 is that IPv4 address."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def kind_of(address: Address) -> str:
    """Give in a word why an address is not public; empty when it is."""
    end = reached(address)
    for network, kind in _CLOSED:
        if end in network:
            return kind
    if isinstance(end, IPv6Address) and end not in _GLOBAL_V6:
        return "not given out to the public"
    return ""


def is_never_meant(address: Address) -> bool:
    """Tell whether not even a host that the operator opened by name is looked for here (cloud metadata and such)."""
    return kind_of(address) in _EVEN_WHERE_OPENED
