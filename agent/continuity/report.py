"""What the check of a scene has found, for a model and in words."""

from dataclasses import dataclass
from typing import Any, Literal

from agent.reading.citations import described
from retrieval import CitedPassage


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
        nodes: How many nodes have texts.
        findings: In the order of the nodes.
        near: Passages near the scene's texts, for a reader who judges for himself.
    """

    scene_id: int
    scene: str
    nodes: int
    findings: tuple[Discrepancy, ...]
    near: tuple[CitedPassage, ...]

    def as_dict(self) -> dict[str, Any]:
        """The report as a tool's result; passages are named by their numbers."""
        shown = {one.number: one for finding in self.findings for one in finding.passages}
        shown |= {one.number: one for one in self.near}
        return {
            "scene_id": self.scene_id,
            "scene": self.scene,
            "nodes_checked": self.nodes,
            "findings": [vars(one) | {"passages": [cited.number for cited in one.passages]} for one in self.findings],
            "passages": [described(one) for _, one in sorted(shown.items())],
        }


def render(report: Report) -> str:
    """The report for a reader, each finding with its node and the places in the documents."""
    if not report.findings:
        return (
            f"I found nothing in the scene “{report.scene}” ({report.scene_id}) that disagrees with the documents: "
            f"{report.nodes} nodes with texts, names, speakers and figures compared."
        )
    lines = [f"- Node {one.node_id}: “{one.text}” {one.problem}{_numbers(one)}" for one in report.findings]
    return f"The scene “{report.scene}” ({report.scene_id}) and the documents:\n" + "\n".join(lines)


def _numbers(finding: Discrepancy) -> str:
    return "".join(f" [{one.number}]" for one in finding.passages)
