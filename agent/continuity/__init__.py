"""Whether a scene agrees with the design documents: names, speakers and facts, without a model."""

from agent.continuity.checking import Finding, Report, check_scene, render
from agent.continuity.places import Documents
from agent.continuity.reading import CheckContinuity, ContinuityReader

__all__ = ["CheckContinuity", "ContinuityReader", "Documents", "Finding", "Report", "check_scene", "render"]
