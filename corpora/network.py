"""Whose an address is, as what one client may have counts."""

import ipaddress


def network_of(address: str) -> str:
    """An IPv4 address itself; of an IPv6 one its network, as a machine has as many of those as it likes."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv4Address) or ip.ipv4_mapped:
        return address
    return f"{ip.packed[:8].hex(':', 2)}::/64"
