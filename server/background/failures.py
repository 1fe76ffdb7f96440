"""What could not be read of a project's documents, kept until it is read, or dismissed."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace

from corpora import ProjectKey
from ingest import IngestReport, Problem

_MOST = 200  # of a project; of more the latest
_MOST_OF_ALL = 2000  # of the projects of a workspace
_LONGEST = 1000  # characters of a reason


class Failures:
    """Those since the server was started, for whoever looks at the project."""

    def __init__(self) -> None:
        self._of: dict[str, OrderedDict[ProjectKey, OrderedDict[str, Problem]]] = {}

    def of(self, key: ProjectKey) -> Mapping[str, Problem]:
        """Why documents of a project could not be read, by their names."""
        return dict(self._of.get(key.workspace, {}).get(key, {}))

    def note(self, key: ProjectKey, report: IngestReport) -> None:
        """Takes what a report says in place of what was wrong with its documents before."""
        projects = self._of.setdefault(key.workspace, OrderedDict())
        failed = projects.pop(key, OrderedDict[str, Problem]())
        for document in report.documents:
            failed.pop(document.name, None)
            if document.status == "failed" and document.error is not None:
                failed[document.name] = replace(document.error, message=document.error.message[:_LONGEST])
        while len(failed) > _MOST:
            failed.popitem(last=False)
        if failed:
            projects[key] = failed
        while sum(map(len, projects.values())) > _MOST_OF_ALL:
            projects.popitem(last=False)

    def dismiss(self, key: ProjectKey) -> None:
        """Forgets those of a project."""
        self._of.get(key.workspace, OrderedDict()).pop(key, None)
