"""The address on which a host listens."""

import errno
import socket

from netplay.errors import AddressError


def bound(host: str, port: int, waiting: int) -> socket.socket:
    """Return a socket that listens; of several addresses of a name the first is taken, IPv4 before IPv6.

    Args:
        host: Name or address, an IPv6 address in brackets.
        port: 0 lets the system choose.
        waiting: Connections that the system may hold until somebody looks at them.

    Raises:
        AddressError: The address is in use, not ours, or not allowed.
    """
    try:
        found = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, *_, address = min(found, key=lambda each: each[0] is not socket.AF_INET)
        return socket.create_server(
            address,
            family=family,
            backlog=waiting,
            dualstack_ipv6=family is socket.AF_INET6 and socket.has_dualstack_ipv6(),
        )
    except OSError as error:
        raise AddressError(_problem(host, port, error)) from error


def _problem(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use; choose another with --listen {host}:PORT"
    if error.errno in {errno.EACCES, errno.EPERM}:
        return f"this account may not listen on port {port}; choose one above 1023"
    return f"cannot listen on {host}:{port}: {str(error.strerror).lower()}"
