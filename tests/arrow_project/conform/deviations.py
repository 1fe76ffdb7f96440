"""Where we knowingly do not do as Arrow does, and why."""

from arrow_project.project_data import ProjectData

DEVIATIONS = {
    "removing an entry": ("Arrow's Mind removes it and leaves the scene or the project without a beginning; refused."),
    "removing a used macro or the open scene": ("Arrow's panels refuse it, its Mind does not; refused."),
    "removing what is used, by force": (
        "Arrow leaves dead ids in the users, and of a scene its nodes without a home; the users lose the "
        "reference first, then nothing needs to be forced."
    ),
    "removing a node of a closed scene": ("Arrow leaves the connections that led to it; they are removed first."),
    "fewer lines, actions, patterns or slots": (
        "Arrow's Mind leaves connections of slots that are gone; they are cut first, as its inspectors do."
    ),
    "use and ref": (
        "Arrow keeps what the caller says; here they follow from the data, also of other nodes when a name "
        "that their texts expose comes into being."
    ),
    "a character's new name": (
        "Arrow renames exposures of the tags the character begins with; texts that expose other tags follow too."
    ),
    "names": (
        "Arrow's Mind takes any name; variables and characters get safe and new ones, nodes and scenes new ones."
    ),
    "fresh nodes": (
        "Arrow writes optional fields at their defaults and drops them when the node is first inspected; they"
        " are not written. Colours are not random."
    ),
    "a seed that is taken": (
        "An author whose seed is 0 gets id 0 again from Arrow even if it is in use; the next free one."
    ),
    "U+000B in a text": ("Arrow writes backslash-v and cannot load the file again; the escape \\u000b is written."),
    "inspecting an unset node": (
        "Arrow's inspector of a node whose variable, character or macro is -1 selects the first one of the project and "
        "writes it down, or its defaults if there is none; here the node stays as it is until somebody decides."
    ),
    "inspecting a frame": ("Arrow's inspector of frames writes its size as floats; not compared."),
}


def unstable(project: ProjectData, node_id: int) -> bool:
    """Whether Arrow's own inspector would change the node although nothing was changed in it."""
    node_type = project.node_type(node_id)
    if node_type is None or node_type.name == "frame":
        return True
    expected, data = node_type.expects, project.data(node_id)
    if not expected or data.get(expected) != -1:
        return False
    available = any(expected != "macro" or project.is_macro(key) for key in project.table(expected))
    return available or data != node_type.fresh()
