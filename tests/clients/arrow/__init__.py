"""Fletcher inside the real Arrow, headless, against the real server and a scripted model.

`make arrow ARROW=<checkout>` runs it. Where Godot, or the checkout that ARROW_CHECKOUT names, is not there, the tests
skip with a reason. `driver.gd` opens Arrow by Fletcher's own boot scene and does what `editor.py` tells it over TCP.
"""
