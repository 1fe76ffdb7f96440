"""Who may do what with a file, and how a file that takes its place has the same."""

from __future__ import annotations

import os
import stat
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

# Linux keeps access control lists so: a version, and entries of a tag, rights and an id, in this order.
_LIST = "system.posix_acl_access"
_VERSION, _ENTRY = struct.pack("<I", 2), struct.Struct("<HHI")
_OWNER, _USER, _GROUP, _MASK, _OTHERS, _NO_ID = 1, 2, 4, 16, 32, 0xFFFFFFFF


@dataclass(frozen=True)
class Rights:
    """Who may do what with a file.

    Attributes:
        mode: Its mode.
        owner: The user and the group that it belongs to; None for whoever writes it.
        acl: Its access control list, as Linux keeps it; None if it has none.
    """

    mode: int
    owner: tuple[int, int] | None = None
    acl: bytes | None = None

    @classmethod
    def of(cls, file: Path | int) -> Self:
        """Those of a file, by its path or its descriptor."""
        status = file.stat() if isinstance(file, Path) else os.fstat(file)
        acl = None
        if sys.platform == "linux":
            with suppress(OSError):  # it has none, or its drive knows none
                acl = os.getxattr(file, _LIST)
        return cls(stat.S_IMODE(status.st_mode), (status.st_uid, status.st_gid), acl)

    def give(self, file: int) -> None:
        """Give them to an open file of ours, as far as we may: a group has it from whoever is in that.

        Where the owner cannot have it, who would be locked out, an access control list says the same.
        """
        mode, acl = self.mode, self.acl
        if self.owner is not None and hasattr(os, "fchown"):
            user, group = self.owner
            for owner in ((-1, group), (user, -1)):
                with suppress(OSError):  # who may not, or on a drive that knows no owners
                    os.fchown(file, *owner)
            status = os.fstat(file)
            if status.st_gid != group and acl is None:  # ours had the rights of others
                mode = mode & ~0o070 | (mode & 0o007) << 3
            if status.st_uid != user:
                mode &= 0o777  # nothing else of another user's is ours
                acl = _with(user, acl or _list_of(mode))
        if mode != 0o600 and hasattr(os, "fchmod"):  # by its descriptor: by its name, a link would be followed
            _set_list(file, None)  # a folder gives it one
            os.fchmod(file, mode)
        if acl is not None:
            _set_list(file, acl)


def _set_list(file: int, acl: bytes | None) -> None:
    if sys.platform == "linux":
        with suppress(OSError):  # there is none, or its drive knows none
            os.removexattr(file, _LIST) if acl is None else os.setxattr(file, _LIST, acl)


def _list_of(mode: int) -> bytes:
    entries = ((_OWNER, mode >> 6), (_GROUP, mode >> 3), (_OTHERS, mode))
    return _VERSION + b"".join(_ENTRY.pack(tag, rights & 7, _NO_ID) for tag, rights in entries)


def _with(user: int, acl: bytes) -> bytes:
    """A list in which a user has the rights that the file's owner has."""
    rights = {(tag, id_): rights for tag, rights, id_ in _ENTRY.iter_unpack(acl.removeprefix(_VERSION))}
    own = rights[_OWNER, _NO_ID]
    rights[_USER, user] = own
    rights[_MASK, _NO_ID] = rights.get((_MASK, _NO_ID), rights[_GROUP, _NO_ID]) | own
    return _VERSION + b"".join(_ENTRY.pack(tag, rights[tag, id_], id_) for tag, id_ in sorted(rights))
