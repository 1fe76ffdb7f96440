"""What functions are called besides their names."""

# As the specification's examples call it.
_OTHER_NAMES = {"create_node": "create_insert_node"}


def function_named(name: str) -> str:
    """The name of the function that is meant."""
    return _OTHER_NAMES.get(name, name)
