"""Whether a scene agrees with the design documents: names, speakers and facts, without a model."""

from agent.continuity.checking import Discrepancy, Report, check_scene, render
from agent.continuity.places import DocumentTexts
from agent.continuity.reading import CheckContinuity, check_continuity

__all__ = ["CheckContinuity", "Discrepancy", "DocumentTexts", "Report", "check_continuity", "check_scene", "render"]
