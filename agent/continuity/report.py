"""What the check of a scene has found, for a model and in words."""

from dataclasses import dataclass
from typing import Any, Literal

from agent.reading.citations import described
from retrieval import CitedPassage

LONGEST_NODE = 100_000
"""Characters that a node may say to be looked at, and that all nodes of a part say together."""

_NAMED = 20  # ids in a sentence


@dataclass(frozen=True)
class Discrepancy:
    """Something in a node that the documents do not bear out.

    Attributes:
        kind: A `name` that is spelled otherwise in the documents, a `speaker` whom they do not know, or a `fact`.
        node_id: The node.
        text: What stands there.
        problem: One sentence on what is the matter.
        passages: Where the documents speak of it.
    """

    kind: Literal["name", "speaker", "fact"]
    node_id: int
    text: str
    problem: str
    passages: tuple[CitedPassage, ...]


@dataclass(frozen=True)
class Report:
    """What the check of a scene has found.

    Attributes:
        scene_id: The scene.
        scene: Its name.
        nodes: How many nodes were looked at.
        findings: In the order of the nodes.
        near: Passages near the scene's texts, for a reader who judges for himself.
        part: Which part of a long scene it is, from 1.
        of_parts: How many there are.
        too_long: The ids of nodes that say too much to be looked at.
        has_more: There may be more findings in this part.
    """

    scene_id: int
    scene: str
    nodes: int
    findings: tuple[Discrepancy, ...]
    near: tuple[CitedPassage, ...]
    part: int = 1
    of_parts: int = 1
    too_long: tuple[int, ...] = ()
    has_more: bool = False

    @property
    def left_out(self) -> str:
        """What of this part was not looked at, and what to do about it; empty where that is nothing."""
        said: list[str] = []
        if self.has_more:
            said.append(f"There may be more than these {len(self.findings)} findings: mend them, and check again.")
        if self.too_long:
            ids = ", ".join(map(str, self.too_long[:_NAMED])) + (", …" if len(self.too_long) > _NAMED else "")
            said.append(f"Not looked at, as they say more than {LONGEST_NODE:,} characters: {ids}. Divide these nodes.")
        return " ".join(said)

    def as_dict(self) -> dict[str, Any]:
        """The report as a tool's result; passages are named by their numbers."""
        shown = {one.number: one for finding in self.findings for one in finding.passages}
        shown |= {one.number: one for one in self.near}
        answer: dict[str, Any] = {
            "scene_id": self.scene_id,
            "scene": self.scene,
            "nodes_checked": self.nodes,
            "findings": [vars(one) | {"passages": [cited.number for cited in one.passages]} for one in self.findings],
            "passages": [described(one) for _, one in sorted(shown.items())],
        }
        if self.of_parts > 1:
            answer |= {"part": self.part, "of_parts": self.of_parts}
        return answer | ({"cut": self.left_out} if self.left_out else {})


def render(report: Report) -> str:
    """The report for a reader, each finding with its node and the places in the documents."""
    rest = [report.left_out] if report.left_out else []
    if report.of_parts > 1:
        rest.append(f"This was part {report.part} of {report.of_parts} of the scene, {report.nodes} nodes with texts.")
    if report.part < report.of_parts:
        rest.append(f"/check_continuity scene_id={report.scene_id}, part={report.part + 1} goes on.")
    if not report.findings:
        clean = (
            f"I found nothing in the scene “{report.scene}” ({report.scene_id}) that disagrees with the documents: "
            f"{report.nodes} nodes with texts, names, speakers and figures compared."
        )
        return " ".join([clean, *rest])
    lines = [f"- Node {one.node_id}: “{one.text}” {one.problem}{_numbers(one)}" for one in report.findings]
    return "\n".join([f"The scene “{report.scene}” ({report.scene_id}) and the documents:", *lines, *rest])


def _numbers(finding: Discrepancy) -> str:
    return "".join(f" [{one.number}]" for one in finding.passages)
