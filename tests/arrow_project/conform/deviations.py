"""Where we knowingly do not do as Arrow does, and why."""

from arrow_project.document import Document

_RESOURCES = {"variable": "variable", "character": "character", "macro": "macro"}

DEVIATIONS = {
    "inspecting an unset node": "Arrow's inspector of a node whose variable, character or macro is -1 selects "
    "the first one of the project and writes it down; we keep -1 until somebody decides.",
    "U+000B in a text": "Arrow writes backslash-v and cannot load the file again; we write the escape \\u000b.",
    "inspecting a frame": "Arrow's inspector of frames writes its size as floats.",
}


def unstable(document: Document, node_id: int) -> bool:
    """Whether Arrow's own inspector would change the node although nothing was changed in it."""
    node_type = document.node_type(node_id)
    if node_type is None or node_type.name == "frame":
        return True
    expected = node_type.expects
    if not expected or document.data(node_id).get(expected) != -1:
        return False
    table = document.table(_RESOURCES[expected])
    return any(expected != "macro" or document.is_macro(key) for key in table)
