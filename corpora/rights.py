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
        """Give them to an open file of ours, as far as we may: to a group we may if we are in it.

        Where the owner cannot have it, who would be locked out, an access control list says the same.
        """
        mode, acl = self.mode, self.acl
        user, group = self.owner or (None, None)
        if group is not None and not _give_to(file, group=group):  # ours had the rights of others
            mode = mode & ~0o070 | (mode & 0o007) << 3
            acl = acl and _with_group_as_others(acl)
        if not _give_list(file, acl) or acl is None:  # a folder may have given it one
            _set_mode(file, mode)
        if user is not None and not _give_to(file, user=user):  # last, as it is ours no more then
            _set_mode(file, mode & 0o777)
            _give_list(file, _with(user, acl or _list_of(mode)))


def _give_to(file: int, user: int = -1, group: int = -1) -> bool:
    """Give it to a user or a group; False where neither we nor the drive can."""
    if not hasattr(os, "fchown"):
        return True
    with suppress(OSError):  # who may not, or on a drive that knows no owners
        os.fchown(file, user, group)
    status = os.fstat(file)
    return user in (-1, status.st_uid) and group in (-1, status.st_gid)


def _set_mode(file: int, mode: int) -> None:
    """Set it by the file's descriptor, as by its name a link would be followed; some drives know no modes."""
    if hasattr(os, "fchmod") and stat.S_IMODE(os.fstat(file).st_mode) != mode:
        os.fchmod(file, mode)


def _give_list(file: int, acl: bytes | None) -> bool:
    """Give it that access control list, or none; False where that cannot be done, or there was none."""
    if sys.platform != "linux":
        return False
    try:
        os.removexattr(file, _LIST) if acl is None else os.setxattr(file, _LIST, acl)
    except OSError:
        return False
    return True


def _list_of(mode: int) -> bytes:
    rights = ((_OWNER, mode >> 6), (_GROUP, mode >> 3), (_OTHERS, mode))
    return _packed({(tag, _NO_ID): each & 7 for tag, each in rights})


def _with_group_as_others(acl: bytes) -> bytes:
    rights = _unpacked(acl)
    return _packed(rights | {(_GROUP, _NO_ID): rights[_OTHERS, _NO_ID]})


def _with(user: int, acl: bytes) -> bytes:
    """A list in which a user has the rights that the file's owner has, and nobody else more than before."""
    rights = _unpacked(acl)
    mask = rights.get((_MASK, _NO_ID), rights[_GROUP, _NO_ID])
    own = rights[_OWNER, _NO_ID]
    masked = {of: each & mask for of, each in rights.items() if of[0] not in (_OWNER, _OTHERS)}
    return _packed(rights | masked | {(_USER, user): own, (_MASK, _NO_ID): mask | own})


def _unpacked(acl: bytes) -> dict[tuple[int, int], int]:
    """The rights by tag and id."""
    return {(tag, id_): rights for tag, rights, id_ in _ENTRY.iter_unpack(acl.removeprefix(_VERSION))}


def _packed(rights: dict[tuple[int, int], int]) -> bytes:
    return _VERSION + b"".join(_ENTRY.pack(tag, rights[tag, id_], id_) for tag, id_ in sorted(rights))
