"""Opens the socket on which a host listens."""

import errno
import socket

from netplay.wire.errors import AddressError


def bind_socket(host: str, port: int, backlog: int) -> socket.socket:
    """Open a listening socket. If a name has several addresses, the first IPv4 address is preferred.

    Args:
        host: A name or address. An IPv6 address may be in brackets.
        port: The port. If it is 0, the system chooses one.
        backlog: Maximum number of connections that may wait to be accepted.

    Raises:
        AddressError: The address is in use, does not belong to this machine, or is not permitted.
    """
    try:
        address_infos = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, *_, address = min(address_infos, key=lambda info: info[0] is not socket.AF_INET)
        return socket.create_server(
            address,
            family=family,
            backlog=backlog,
            dualstack_ipv6=family is socket.AF_INET6 and socket.has_dualstack_ipv6(),
        )
    except OSError as error:
        raise AddressError(_bind_problem(host, port, error)) from error


def _bind_problem(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use; choose another with --listen {host}:PORT"
    if error.errno in {errno.EACCES, errno.EPERM}:
        return f"this account may not listen on port {port}; choose one above 1023"
    return f"cannot listen on {host}:{port}: {str(error.strerror).lower()}"
