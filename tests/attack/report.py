"""What an attack has shown, as a table, and the limits that it breaks."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tests.attack.campaign import AFTER, Campaign, Stage
from tests.attack.findings import AWAY, Findings
from tests.attack.witness import Answer

_P99_S = 1.0
_PEAK_MB = 2048
_ENDS_WITHIN_S = 15.0


@dataclass(frozen=True)
class Limit:
    """What must be so: a value that is at most another."""

    what: str
    value: float
    most: float

    @property
    def is_kept(self) -> bool:
        """Whether it is so."""
        return self.value <= self.most


def limits(campaigns: Sequence[Campaign]) -> list[Limit]:
    """All that must be so after an attack."""
    answers = [answer for campaign in campaigns for answer in campaign.answers]
    stages = [stage for campaign in campaigns for stage in campaign.stages]
    lost = [answer for campaign in campaigns for answer in campaign.answers if _is_lost(answer, campaign)]
    problems = sum(sum(findings.problems.values()) for stage in stages for findings in stage.findings)
    answered = [answer.seconds for answer in answers if not answer.refused]
    return [
        Limit("the good client's p99, in s", _percentile(answered, 99), _P99_S),
        Limit("answers that it lost, or that are wrong", len(lost), 0),
        Limit("peak memory, in MB", max((stage.peak_mb for stage in stages), default=0), _PEAK_MB),
        Limit("memory after deleting, of that before", max(c.after_mb / c.before_mb for c in campaigns), AFTER),
        Limit("documents that could not be deleted", sum(campaign.left for campaign in campaigns), 0),
        Limit("an answer while a store is known to be away, in s", _slowest("stores", stages), _P99_S),
        Limit("what broke a promise", problems, 0),
        Limit("tracebacks in the log", sum(campaign.tracebacks for campaign in campaigns), 0),
        Limit("servers that died", sum(not campaign.is_alive for campaign in campaigns), 0),
        Limit("seconds until it ends", max(campaign.ended_s for campaign in campaigns), _ENDS_WITHIN_S),
    ]


def _slowest(phase: str, stages: Sequence[Stage]) -> float:
    found = [findings for stage in stages for findings in stage.findings if findings.name == phase]
    return max((seconds for findings in found for seconds, _ in findings.slowest), default=0.0)


def show(campaigns: Sequence[Campaign], console: Console) -> None:
    """Prints the table, what was found in words, and the limits."""
    table = Table("phase", "done", "s", "asked", "p50 s", "p99 s", "max s", "refused", "wrong", "peak MB", "problems")
    for campaign in campaigns:
        for stage in campaign.stages:
            table.add_row(*_row(stage))
        table.add_row("before, between, after", "", "", *_of_answers(_rest(campaign)), f"{campaign.after_mb:.0f}", "")
    console.print(table)
    for campaign in campaigns:
        for stage in campaign.stages:
            for findings in stage.findings:
                _show_findings(findings, console)
            _show_slow(stage, console)
        _show_wrong(campaign, console)
        memory = f"{campaign.before_mb:.0f} -> {campaign.after_mb:.0f} MB"
        alone = f"{campaign.alone_before_mb:.0f} -> {campaign.alone_after_mb:.0f} MB"
        console.print(f"memory: {memory}, of which the server's process {alone}", highlight=False)
        for error, count in campaign.errors.most_common(10):
            console.print(f"log: {count} × {escape(error)}", highlight=False)
    for limit in limits(campaigns):
        verdict = "[green]kept[/green]" if limit.is_kept else "[red]BROKEN[/red]"
        console.print(f"{limit.what}: {limit.value:.3g} (at most {limit.most:g}) {verdict}", highlight=False)


def _show_findings(findings: Findings, console: Console) -> None:
    said = ", ".join(f"{kind}: {count}" for kind, count in sorted(findings.answers.items()))
    console.print(f"{findings.name}: {escape(said)}", highlight=False)
    if findings.slowest:
        slowest = ", ".join(f"{what} {seconds:.1f} s" for seconds, what in findings.slowest)
        console.print(f"  slowest: {escape(slowest)}", highlight=False)
    for kind, count in findings.problems.most_common():
        console.print(f"  [red]{count} × {escape(kind)}[/red]", highlight=False)
        for example in findings.examples[kind]:
            console.print(f"      {escape(example)}", highlight=False)


def _rest(campaign: Campaign) -> list[Answer]:
    """What the witness asked while nobody attacked."""
    return [a for a in campaign.answers if not any(stage.began <= a.at <= stage.ended for stage in campaign.stages)]


def _row(stage: Stage) -> Iterable[str]:
    yield " + ".join(findings.name for findings in stage.findings)
    yield " + ".join(f"{findings.done}" for findings in stage.findings)
    yield f"{stage.ended - stage.began:.0f}"
    yield from _of_answers(stage.answers)
    yield f"{stage.peak_mb:.0f}"
    yield f"{sum(sum(findings.problems.values()) for findings in stage.findings)}"


def _of_answers(answers: Sequence[Answer]) -> Iterable[str]:
    seconds = [answer.seconds for answer in answers if not answer.refused]
    yield f"{len(answers)}"
    yield from (f"{_percentile(seconds, 50):.3f}", f"{_percentile(seconds, 99):.3f}", f"{max(seconds, default=0):.3f}")
    yield f"{sum(bool(answer.refused) for answer in answers)}"
    yield f"{sum(bool(answer.wrong) for answer in answers)}"


def _show_slow(stage: Stage, console: Console) -> None:
    slow = sorted(stage.answers, key=lambda answer: answer.seconds, reverse=True)[:5]
    said = ", ".join(f"{answer.asked} {answer.seconds:.1f} s {answer.refused}".strip() for answer in slow)
    console.print(f"  the good client waited longest for: {said}", highlight=False)


def _show_wrong(campaign: Campaign, console: Console) -> None:
    wrong = [answer for answer in campaign.answers if answer.wrong or answer.refused]
    for answer in wrong[:10]:
        console.print(f"  witness, {answer.asked}: {escape(answer.wrong or answer.refused)}", highlight=False)
    if len(wrong) > 10:
        console.print(f"  … and {len(wrong) - 10} more")


def _is_lost(answer: Answer, campaign: Campaign) -> bool:
    """Whether it is wrong, or refused though no store stood still."""
    stood_still = any(
        stage.began <= answer.at <= stage.ended and any(findings.name == "stores" for findings in stage.findings)
        for stage in campaign.stages
    )
    return bool(answer.wrong or (answer.refused and not (stood_still and answer.refused in AWAY)))


def _percentile(seconds: Sequence[float], percent: int) -> float:
    if len(seconds) < 2:
        return max(seconds, default=0.0)
    return statistics.quantiles(seconds, n=100, method="inclusive")[percent - 1]
