"""Resource ids as Arrow gives them: chapter, author and a counter in 53 bits."""

from arrow_project.errors import ErrorCode, OperationError
from arrow_project.loading import MAX_CHAPTER, integer_epoch
from arrow_project.project_data import ProjectData
from arrow_project.values import AUTHOR_SHIFT, is_id, shown

CHAPTER_SHIFT = 43
MAX_AUTHOR = 63
SEED_LIMIT = 2**AUTHOR_SHIFT


def next_id(project: ProjectData) -> int:
    """Draw the next unused id of the project's active author and advance the author's seed.

    Raises:
        OperationError: PERMISSION_DENIED, the project's ids are used up or made from the clock.
    """
    if project.expected_ids:
        return _draw_expected(project, project.expected_ids[0])
    meta = project.raw["meta"]
    author = project.active_author
    if integer_epoch(meta):
        raise _denied("This project makes ids from the clock (meta.epoch), which is not supported.")
    chapter = meta["chapter"]
    if not 0 <= author <= MAX_AUTHOR or not 0 <= chapter <= MAX_CHAPTER:
        raise _denied(f"Author {author} in chapter {chapter} is out of range; Arrow can give no ids.")
    return _draw(project, author, (chapter << CHAPTER_SHIFT) | (author << AUTHOR_SHIFT))


def expect_ids(project: ProjectData, resource_ids: tuple[int, ...]) -> None:
    """Make these the ones that are drawn next: an editor has given them, so their author is the active one there.

    Raises:
        OperationError: PERMISSION_DENIED, an id is taken, or not one of this chapter and its authors.
    """
    for resource_id in resource_ids:
        _refuse_impossible(project, resource_id)
    if len(set(resource_ids)) < len(resource_ids):
        raise _denied(f"{shown(list(resource_ids))} has an id twice.")
    project.expected_ids = resource_ids


def _refuse_impossible(project: ProjectData, resource_id: int) -> None:
    if not is_id(resource_id) or resource_id >> CHAPTER_SHIFT != project.raw["meta"].get("chapter"):
        raise _denied(f"{shown(resource_id)} is not an id of this project's chapter.")
    if _author_of(resource_id) not in project.authors or project.is_used(resource_id):
        raise _denied(f"{resource_id} is taken, or belongs to an author who is not listed.")


def _draw_expected(project: ProjectData, resource_id: int) -> int:
    author = _author_of(resource_id)
    project.journal.put(project.working, "author", author)
    info, seed, *rest = project.authors[author]
    project.journal.put(project.authors, author, [info, max(seed, resource_id % SEED_LIMIT + 1), *rest])
    project.expected_ids = project.expected_ids[1:]
    return resource_id


def _author_of(resource_id: int) -> int:
    return (resource_id >> AUTHOR_SHIFT) & MAX_AUTHOR


def _draw(project: ProjectData, author: int, base: int) -> int:
    seed = max(project.seed_of(author), 0)
    while seed < SEED_LIMIT and project.is_used(base | seed):
        seed += 1
    if seed >= SEED_LIMIT:
        raise _denied(f"Author {author} has used up all ids of this chapter; add another author in Arrow.")
    info, _seed, *rest = project.authors[author]
    project.journal.put(project.authors, author, [info, seed + 1, *rest])
    return base | seed


def _denied(message: str) -> OperationError:
    return OperationError(ErrorCode.PERMISSION_DENIED, message)
