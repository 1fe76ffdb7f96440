"""Invariants 35 to 39: use and ref, names."""

from collections import Counter
from collections.abc import Iterable, Iterator

from arrow_project.checking.findings import Findings, found, ids_of, node_place
from arrow_project.checking.survey import Seen, Survey
from arrow_project.names import is_safe
from arrow_project.operation import Finding
from arrow_project.project_data import ProjectData
from arrow_project.values import distinct, shown

_NONE: frozenset[int] = frozenset()
_EXPOSED = ("variable", "character")
_KINDS = ("node", "scene", *_EXPOSED)


def bookkeeping(survey: Survey) -> Findings:
    """Lists of users and of what is used, and names.

    The data is what counts. Where a node's ref differs from its data, that is rule 37; where a resource's use differs
    from both, rule 36. What another rule names already (a list that is none, data or a name that is wrong) decides
    nothing here.
    """
    project = survey.project
    lists = _Lists(project)
    unnamed: set[int] = set()
    names = list(_names(project, unnamed))
    for (field, key), kind in lists.broken.items():
        yield found(
            35, _place(project, kind, key), f"{field} must be a non-empty array of ids without repeats, or absent."
        )
    yield from _references(survey, lists, unnamed)
    yield from _users(survey, lists)
    yield from names


class _Lists:
    """The use and ref lists of all resources.

    Attributes:
        use, ref: ids by the id of the resource that has the list; nothing for what is no list of ids.
        broken: kinds of the resources whose lists are none, by field and id.
        lacking: users that a resource's use should name, by the id of the resource.
    """

    def __init__(self, project: ProjectData) -> None:
        self.broken: dict[tuple[str, int], str] = {}
        self.use: dict[int, set[int]] = {}
        self.ref: dict[int, set[int]] = {}
        self.lacking: dict[int, list[int]] = {}
        for kind in _KINDS:
            for key, resource in project.table(kind).items():
                if "use" in resource:
                    self.use[key] = self._ids("use", kind, key, resource["use"])
                if "ref" in resource:
                    self.ref[key] = self._ids("ref", kind, key, resource["ref"])

    def _ids(self, field: str, kind: str, key: int, value: object) -> set[int]:
        ids = ids_of(value)
        unique = set(distinct(ids))
        if not ids or len(unique) < len(ids):
            self.broken[field, key] = kind
        return unique


def _references(survey: Survey, lists: _Lists, unnamed: set[int]) -> Findings:
    """Each node's ref must be what its data uses, and exist; notes who of them is lacking in a use."""
    for node_id, seen in survey.nodes.items():
        stored = lists.ref.get(node_id, _NONE)
        wanted = seen.references
        if not stored and not wanted:
            continue
        if (len(stored) != len(wanted) or not stored.issuperset(wanted)) and ("ref", node_id) not in lists.broken:
            yield from _differing(survey, seen, stored, unnamed)
        for key in stored:
            if node_id not in lists.use.get(key, _NONE) and key in wanted and ("use", key) not in lists.broken:
                lists.lacking.setdefault(key, []).append(node_id)


def _differing(survey: Survey, seen: Seen, stored: Iterable[int], unnamed: set[int]) -> Findings:
    project, wanted = survey.project, set(seen.references)
    # what the data names by its id and does not exist breaks the rule of that field
    named = seen.node_type.references(seen.data) if seen.node_type else []
    missing = {key for key in stored if not project.is_used(key)} - survey.ghosts
    if nothing := missing - {*named}:
        yield found(36, seen.place, f"ref names what does not exist: {_ids(nothing)}.")
    elif not seen.is_referring_broken and wanted.symmetric_difference(stored) - missing - survey.ghosts - unnamed:
        yield found(37, seen.place, f"ref {sorted(stored)} must be what the data uses: {list(seen.references)}.")


def _users(survey: Survey, lists: _Lists) -> Findings:
    """Everyone in a use list must be a node whose ref says the same, and nobody else."""
    for kind in _KINDS:
        for key in survey.project.table(kind):
            if key not in lists.use and key not in lists.lacking:
                continue
            users = [user for user in lists.use.get(key, _NONE) if key not in lists.ref.get(user, _NONE)]
            wrong = [*_lacking(lists, key), *(_strangers(survey, lists, key, users) if users else ())]
            if wrong:
                yield found(36, _place(survey.project, kind, key), f"use {'; '.join(wrong)}.")


def _lacking(lists: _Lists, key: int) -> Iterator[str]:
    if key in lists.lacking:
        yield f"lacks nodes whose ref names it: {_ids(lists.lacking[key])}"


def _strangers(survey: Survey, lists: _Lists, key: int, users: list[int]) -> Iterator[str]:
    nobody = [user for user in users if user not in survey.nodes and user not in survey.ghosts]
    if nobody:
        yield f"names what is no node: {_ids(nobody)}"
    one_sided = [
        user
        for user in users
        # of those whose data does use it the ref is wrong, which was said
        if user in survey.nodes and ("ref", user) not in lists.broken and key not in survey.nodes[user].references
    ]
    if one_sided:
        yield f"names nodes whose ref does not name it back: {_ids(one_sided)}"


def _ids(ids: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(ids)))


def _names(project: ProjectData, unnamed: set[int]) -> Findings:
    """Names that are wrong; adds the ids of variables and characters that no text can expose for that reason."""
    for kind in _KINDS:
        table = project.table(kind)
        counts = Counter(resource["name"] for resource in table.values() if isinstance(resource["name"], str))
        said: set[str] = set()
        for key, resource in table.items():
            name = resource["name"]
            finding = None
            if not isinstance(name, str) or (kind in _EXPOSED and not is_safe(name)):
                finding = _misnamed(kind, _place(project, kind, key), name)
            if finding is None and counts[name] > 1:
                unnamed.add(key)
                if name not in said:
                    yield found(
                        38, _place(project, kind, key), f"The name {shown(name)} is used more than once among {kind}s."
                    )
                said.add(name)
            elif finding is not None:
                unnamed.add(key)
                yield finding


def _misnamed(kind: str, place: str, name: object) -> Finding:
    if kind in _EXPOSED:
        return found(39, place, f"The name {shown(name)} must be non-empty and safe to stand in braces.")
    return found(38, place, f"The name {shown(name)} must be a text.")


def _place(project: ProjectData, kind: str, key: int) -> str:
    return node_place(project, key) if kind == "node" else f"{kind} {key}"
