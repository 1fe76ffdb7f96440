"""What others write into a story while something is done there that the user has agreed to."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, cast

from arrow_project import ArrowProject, Loss, Tables, copied, losses, replaced_records, tables_of

_KEPT_BY_ARROW = ("use", "ref", "map")


def is_written_into(shown: ArrowProject, tried: ArrowProject, checkpoint: int) -> bool:
    """Whether what a story has been tried with since the checkpoint changes anything that is shown otherwise now.

    Where an operation of several calls is half done, each part of it may be as before, or as after it.
    """
    now, will_be = tables_of(shown), tables_of(tried)
    for kind, table in replaced_records(tried, checkpoint).items():
        for key, old in table.items():
            record, new = now[kind].get(key), will_be[kind].get(key)
            if record is None:
                continue
            if kind == "scene" and new is None and shown.data.scenes[key]["map"].keys() - old["map"].keys():
                return True  # what has come into it would go with it
            if not _is_of_either(record, old, new or {}, but=_KEPT_BY_ARROW):
                return True
    return False


def _is_of_either(
    record: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any], but: Collection[str] = ()
) -> bool:
    for name, value in record.items():
        olds, news = old.get(name), new.get(name)
        if name in but or value in (olds, news):
            continue
        if not (isinstance(value, dict) and isinstance(olds, dict)):
            return False
        parts = cast("list[dict[str, Any]]", [value, olds, news if isinstance(news, dict) else {}])
        if not _is_of_either(*parts):
            return False
    return True


class WrittenMeanwhile:
    """Knows what has come into a story since it was agreed to what is done: no yes was about that.

    What is measured of an operation are the records that others have written into, and not the whole story.

    Args:
        agreed: The story that the user was asked about.
    """

    def __init__(self, agreed: ArrowProject) -> None:
        self._story = agreed  # as what was agreed to has left it, up to now
        # By the hashes of their names: a small story can lose two million values, and numbers somebody can choose.
        self._places: set[int] = set()
        self._records: Tables = {}

    def look_at(self, story: ArrowProject, shown: Tables) -> None:
        """The story before an operation, with its tables; another one than before is what the client has shown."""
        if story is self._story:
            return
        for loss in losses(shown, tables_of(self._story)):
            self._places |= {hash(_place(loss)), hash(_resource(loss))}
        self._story = story
        self._records = {kind: {} for kind in shown}
        for kind, table in shown.items():
            for key, record in table.items():
                if hash(f"{'node' if kind == 'place' else kind} {key}") in self._places:
                    self._records[kind][key] = copied(record)
                elif kind in ("variable", "character"):  # where it is renamed, texts that expose it are written anew
                    self._records[kind][key] = {"name": record["name"]}

    def taken_away(self, tried: ArrowProject) -> Iterator[Loss]:
        """What of it an operation would take away that the story has been tried with."""
        if not self._places:
            return
        for loss in losses(self._records, tables_of(tried)):
            is_new = hash(f"{_resource(loss)} gone") in self._places
            if is_new or hash(_place(loss) if loss.place else _resource(loss)) in self._places:
                yield loss


def _resource(loss: Loss) -> str:
    return f"{loss.kind} {loss.id}"


def _place(loss: Loss) -> str:
    """Where in its resource it was; all of it, where the resource itself is new."""
    return f"{_resource(loss)} {loss.place} {loss.connection}" if loss.place else f"{_resource(loss)} gone"
