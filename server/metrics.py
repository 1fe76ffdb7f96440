"""What `/metrics` tells Prometheus. No label has a workspace's, a project's or a user's words."""

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from agent import Usage
from corpora import Catalog
from ingest import IngestReport

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)


class Metrics:
    """The counters of one server, in a registry of their own.

    Args:
        catalog: Counted when Prometheus asks.
    """

    def __init__(self, catalog: Catalog) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        registry.register(_Documents(catalog))
        self.turns = Counter("fletcher_turns", "Turns by how they ended.", ["outcome"], registry=registry)
        self.turns_under_way = Gauge("fletcher_turns_under_way", "Turns that have not ended.", registry=registry)
        self.calls = Counter(
            "fletcher_calls", "Operations that an editor was asked for.", ["function", "result"], registry=registry
        )
        self.corrections = Counter(
            "fletcher_corrections",
            "Operations that were refused before the editor was asked.",
            ["function"],
            registry=registry,
        )
        self.questions = Counter("fletcher_questions", "Turns that ended with a question.", ["kind"], registry=registry)
        self.answers = Counter("fletcher_answers", "Answers to such questions.", ["answer"], registry=registry)
        self.seconds = Histogram(
            "fletcher_turn_seconds", "Where a turn's time goes.", ["stage"], buckets=_SECONDS, registry=registry
        )
        self._tokens = Counter("fletcher_tokens", "Tokens as the provider counts them.", ["kind"], registry=registry)
        self._requests = Counter("fletcher_model_requests", "Requests to the model.", registry=registry)
        self._cost = Counter("fletcher_cost_usd", "Cost of the model, where its price is known.", registry=registry)
        self._taken_in = Counter(
            "fletcher_documents_taken_in", "Documents that were sent, by what became of them.", ["status"],
            registry=registry,
        )  # fmt: skip
        self.connections = Gauge("fletcher_connections", "Open sockets.", registry=registry)
        self.refusals = Counter("fletcher_refusals", "Requests over a limit.", ["limit"], registry=registry)

    def add_usage(self, usage: Usage) -> None:
        """Adds what one turn cost."""
        self._requests.inc(usage.requests)
        self._tokens.labels("input").inc(usage.input_tokens)
        self._tokens.labels("output").inc(usage.output_tokens)
        self._cost.inc(usage.cost_usd or 0)

    def add_report(self, report: IngestReport) -> None:
        """Adds the documents of one ingest."""
        for document in report.documents:
            self._taken_in.labels(document.status).inc()


class _Documents(Collector):
    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """The metric without its values: to register it asks nothing of the catalog."""
        return [self._family()]

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Counted anew."""
        family = self._family()
        counts = self._catalog.document_counts()
        family.add_metric(["indexed"], counts.indexed)
        family.add_metric(["searchable"], counts.searchable)
        return [family]

    def _family(self) -> GaugeMetricFamily:
        return GaugeMetricFamily("fletcher_documents", "Documents by status, of all projects.", labels=["status"])
