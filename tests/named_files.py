"""Texts in which Arrow's BBCode names a file, as Godot 4.6 was seen to load it, and texts that only look so.

Halves become such a tag in a story that is played.
"""

FILES = {
    "[img]/tmp/a.tres[/img]": "[img]/tmp/a.tres",
    "Look: [b][img=40x40]/tmp/a.tres[/img][/b]": "[img=40x40]/tmp/a.tres",
    "[code][img width=40]res://../a.tres": "[img width=40]res://../a.tres",
    "[img2]/tmp/a.tres[/img2]": "[img2]/tmp/a.tres",
    "[img\n]/tmp/a.tres[/img]": "[img\n]/tmp/a.tres",
    "[font=/tmp/a.tres]Ahoy.[/font]": "[font=/tmp/a.tres",
    "[font name='/tmp/a.tres']Ahoy.": "[font name='/tmp/a.tres'",
    "[dropcap font=/tmp/a.tres]A[/dropcap]": "[dropcap font=/tmp/a.tres",
    "[img]{portrait}[/img]": "[img]{portrait}",
}
HALVES = {
    "Look: [{tag}]/tmp/a.tres[/{tag}]": "[{tag}]/tmp/a.tres",
    "[i{rest}]/tmp/a.tres": "[i{rest}]/tmp/a.tres",
    "Look: [": "[",
    "[drop": "[drop",
}
NONE = (
    "Look: [b]{gold}[/b] coins [i]or[/i] none.",
    "[color={colour}]Ahoy.[/color]",
    "[font_size=20]Ahoy.[/font_size] [u]So.[/u] [fill]x[/fill]",
    "[ img]/tmp/a.tres",
    "^[f|m]$",
    "[i\rmg]/tmp/a.tres[/img]",  # is written as a line break
    "[IMG]/tmp/a.tres[/IMG]",
    "img]/tmp/a.tres[/img]",
    "[im waiting] [f, aside] [d]",
    "a[0] + b[i] = {c}",
    '[{"npc": "Mira", "pose": "sit"}]',
    "[dropcap]T[/dropcap]he beam",
)
