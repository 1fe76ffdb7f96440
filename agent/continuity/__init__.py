"""Whether a scene agrees with the design documents: names, speakers and facts, without a model."""

from agent.continuity.checking import Discrepancy, Report, check_scene, render
from agent.continuity.places import DocumentTexts
from agent.continuity.reading import CheckContinuity, ContinuityReader

__all__ = ["CheckContinuity", "ContinuityReader", "Discrepancy", "DocumentTexts", "Report", "check_scene", "render"]
