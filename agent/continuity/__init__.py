"""Whether a scene agrees with the design documents: names, speakers and facts, without a model."""

from agent.continuity.checking import check_scene
from agent.continuity.places import DocumentTexts
from agent.continuity.reading import CheckContinuity, check_continuity
from agent.continuity.report import Discrepancy, Report, render

__all__ = ["CheckContinuity", "Discrepancy", "DocumentTexts", "Report", "check_continuity", "check_scene", "render"]
