"""Some phases against one server, with the witness beside them, and what came of it."""

import json
import os
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmarks._memory import PeakMemory, written_by, written_memory_of
from tests.attack.findings import Findings
from tests.attack.phases import PHASES
from tests.attack.process_phases import delete_all
from tests.attack.server import WITNESS, Server, attacked
from tests.attack.stores import running_stores
from tests.attack.witness import Answer
from tests.forked import started
from tests.ingest.hostile_pages import harmless

AFTER = 1.3
"""What memory may be after all is deleted, of what it was before."""
_SETTLES_WITHIN_S = 120.0
_LEAVES_WITHIN_S = 300.0
_FORGETS_WITHIN_S = 60.0
_READERS = 3


@dataclass
class Stage:
    """One phase, or several at once.

    Attributes:
        findings: What each of them has found.
        began, ended: In seconds of `time.time()`.
        peak_mb: The most memory that the server and its readers had meanwhile, if that was looked at.
        answers: What the witness was answered meanwhile.
    """

    findings: list[Findings]
    began: float = 0.0
    ended: float = 0.0
    peak_mb: float = 0.0
    answers: list[Answer] = field(default_factory=list[Answer])


@dataclass
class Campaign:
    """What one server has gone through.

    Attributes:
        stages: In order.
        before_mb, after_mb: Memory before the attack, and after all the attacker's documents were deleted, without the
            pages of libraries: how many of those count depends upon who else uses them just now.
        alone_before_mb, alone_after_mb: The same without the readers and painters.
        left: Documents of the attacker that could not be deleted.
        answers: All that the witness was answered, also before, between and afterwards.
        tracebacks, errors: What the server's log has.
        is_alive: Whether it was there at the end.
        ended_s: How long it took to end; infinite if it had to be killed.
    """

    stages: list[Stage] = field(default_factory=list[Stage])
    before_mb: float = 0.0
    after_mb: float = 0.0
    alone_before_mb: float = 0.0
    alone_after_mb: float = 0.0
    left: int = 0
    answers: list[Answer] = field(default_factory=list[Answer])
    tracebacks: int = 0
    errors: Counter[str] = field(default_factory=Counter[str])
    is_alive: bool = False
    ended_s: float = 0.0


def run(
    folder: Path,
    stages: list[list[str]],
    counts: dict[str, int],
    seed: int,
    *,
    with_stores: bool,
    shares_workspace: bool = False,
    weighs: bool = True,
) -> Campaign:
    """Starts a server and the witness, attacks stage by stage, and looks at what is left.

    With `weighs`, it looks at the memory meanwhile, of a server that shares none with others, and waits at the end
    until it is what it may be, for a minute at most.
    """
    campaign = Campaign()
    with ExitStack() as opened:
        stores = opened.enter_context(running_stores()) if with_stores else None
        settings = stores.settings if stores else {}
        with attacked(folder, shares_workspace=shares_workspace, forked=not weighs, **settings) as server:
            server.stores = stores.processes if stores else {}
            _attack(server, campaign, stages, counts, seed, weighs)
        campaign.ended_s = server.ended_s or 0.0
        campaign.tracebacks, campaign.errors = server.tracebacks(), server.errors()
    return campaign


def _attack(
    server: Server, campaign: Campaign, stages: list[list[str]], counts: dict[str, int], seed: int, weighs: bool
) -> None:
    witness = _Beside(server)
    try:
        _warm_up(server)
        campaign.before_mb = _all_mb(server)
        campaign.alone_before_mb = _alone_mb(server)
        for names in stages:
            campaign.stages.append(_staged(server, names, counts, seed, weighs))
        if server.is_alive:
            campaign.after_mb = _after_deleting(server, campaign, weighs)
    finally:
        campaign.is_alive = server.is_alive
        campaign.answers = witness.end()
    for stage in campaign.stages:
        stage.answers = [answer for answer in campaign.answers if stage.began <= answer.at <= stage.ended]


def _staged(server: Server, names: list[str], counts: dict[str, int], seed: int, weighs: bool) -> Stage:
    stage = Stage([Findings(name) for name in names])
    # To look at the memory ten times a second takes as much time as a short attack.
    weighed = PeakMemory(server.process) if weighs else nullcontext()
    with weighed as peak, ThreadPoolExecutor(len(names)) as threads:
        under_way = [threads.submit(_phase, server, each, counts[each.name], seed) for each in stage.findings]
        try:
            wait(under_way)
        except BaseException:  # told to end: then nobody is to be waited for
            server.process.kill()
            raise
    stage.began = min(each.began for each in stage.findings)
    stage.ended = time.time()
    stage.peak_mb = (peak and peak.megabytes) or 0.0
    return stage


def _phase(server: Server, findings: Findings, count: int, seed: int) -> None:
    try:
        PHASES[findings.name].attack(server, count, seed, findings)
    except Exception as error:  # noqa: BLE001 - the others go on, and what was found until then is told
        findings.problem("broken off", f"{error!r} {traceback.format_exc(limit=-3)}")


def _warm_up(server: Server) -> None:
    """What is there after ordinary work, such as the readers, is not to be told from what an attack leaves."""
    with server.http() as http, ThreadPoolExecutor(_READERS) as threads:
        names = [f"{number}.pdf" for number in range(_READERS)]
        upload = partial(http.post, "/projects/words/corpus")
        list(threads.map(lambda name: upload(files={"files": (name, harmless())}).raise_for_status(), names))
        for name in names:
            http.get(f"/projects/words/documents/{name}/pages/1.png").raise_for_status()
        delete_all(server, http)


def _after_deleting(server: Server, campaign: Campaign, weighs: bool) -> float:
    """Megabytes once all is deleted; where it weighs, or up to a minute later, until they are what they may be."""
    with server.http(timeout_s=_FORGETS_WITHIN_S) as http:
        campaign.left = delete_all(server, http)
    give_up_at = time.monotonic() + _FORGETS_WITHIN_S
    while (now := _all_mb(server)) > campaign.before_mb * AFTER and weighs and time.monotonic() < give_up_at:
        time.sleep(1)
    campaign.alone_after_mb = _alone_mb(server)
    return now


def _all_mb(server: Server) -> float:
    return written_memory_of(server.process) / 2**20


def _alone_mb(server: Server) -> float:
    return written_by(server.process) / 2**20


class _Beside:
    """The witness, in a process of its own."""

    def __init__(self, server: Server) -> None:
        command = [sys.executable, "-m", "tests.attack.witness", server.url, WITNESS]
        its_input, ours = os.pipe()
        our_output, its_output = os.pipe()
        self._input, self._output = os.fdopen(ours, "w"), os.fdopen(our_output)
        self._process = started(command, Path.cwd(), os.environ, its_output, stdin=its_input)
        os.close(its_input)
        os.close(its_output)
        self._answers: list[Answer] = []
        self._has_settled = threading.Event()
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()
        if not self._has_settled.wait(_SETTLES_WITHIN_S):
            self.end()
            raise RuntimeError("the witness was never answered")

    def end(self) -> list[Answer]:
        """Lets it look a last time; all that it was answered."""
        self._input.close()
        try:
            code = self._process.wait(_LEAVES_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._listening.join()
        self._output.close()
        if code:
            self._answers.append(Answer("the witness", time.time(), 0, wrong=f"it has ended with code {code}"))
        return self._answers

    def _listen(self) -> None:
        for line in self._output:
            self._answers.append(Answer(**json.loads(line)))
            self._has_settled.set()
