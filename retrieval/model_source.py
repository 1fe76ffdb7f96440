"""Where a model that the user names is: in a folder, on the Hugging Face hub, or with a provider.

Whatever is wrong with it is said in a sentence, and within ten seconds: no hub and no provider is waited for long.
A model that the hub has may then take as long to come as it takes.
"""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

_Loaded = TypeVar("_Loaded")

WAITED_S = 5.0  # with the start of the process and the libraries before it, nine seconds on a busy machine

_DESCRIBED_BY = ("modules.json", "config.json")  # sentence-transformers' own file, or that of transformers

# A provider and a name; one letter before the colon is a drive of Windows.
_PROVIDED = re.compile(r"(?P<provider>[a-z][a-z0-9_-]+):(?P<name>.+)", re.DOTALL)


class ModelNotUsable(Exception):
    """The model that is named cannot be used; the message is the reason, without a full stop."""


def provider_and_name(source: str) -> tuple[str, str] | None:
    """`("openai", "text-embedding-3-small")` of `openai:text-embedding-3-small`; None if no provider is named."""
    found = _PROVIDED.fullmatch(source)
    return (found["provider"], found["name"]) if found and not Path(source).is_dir() else None


def load_local(source: str, load: Callable[[bool], _Loaded]) -> _Loaded:
    """What `load` makes of a folder, or of a name on the hub; told whether it must do without the network.

    Raises:
        ModelNotUsable: Whatever went wrong.
    """
    _silence()
    try:
        if _is_path(source):
            if not Path(source).is_dir():
                raise ModelNotUsable("there is no such folder")
            _require_model_in(Path(source))
            return load(True)
        for name in (source, _on_hub(source)):
            if Path(name).is_dir():  # a folder that came with somebody's project must not stand for the hub's model
                raise ModelNotUsable(f"a folder here has that name: say ./{name} if you mean it, else start elsewhere")
        if _is_cached(source):
            return load(True)
        within(WAITED_S, lambda: _require_on_hub(source), "the Hugging Face hub")
        return load(False)
    except ModelNotUsable:
        raise
    except ImportError as error:
        raise ModelNotUsable(f"{error.name} is not installed. Install it: pip install {error.name}") from error
    except Exception as error:  # of torch, transformers and the hub, of whatever type
        raise ModelNotUsable(f"it cannot be loaded ({first_line(error)})") from error


def within(seconds: float, work: Callable[[], _Loaded], whom: str) -> _Loaded:
    """What `work` answers; it is left alone in its thread when it takes longer.

    Raises:
        ModelNotUsable: It did, and `whom` it asks is named; besides, what `work` raises.
    """
    answer: Future[_Loaded] = Future()

    def answered() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:  # noqa: BLE001 - whatever it is, whoever waits is told
            answer.set_exception(error)

    threading.Thread(target=answered, name="model", daemon=True).start()
    try:
        return answer.result(seconds)
    except TimeoutError as error:
        if answer.done():
            raise
        raise ModelNotUsable(f"{whom} does not answer within {seconds:.0f} seconds") from error


def first_line(error: BaseException) -> str:
    """What an error says, without the pages of advice that libraries add."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__).rstrip(".")


def _is_path(source: str) -> bool:
    """Whether `source` can only be the path of a folder; `owner/name` may be on the hub."""
    path = Path(source)
    return path.is_absolute() or source.startswith((".", "~")) or "\\" in source or len(path.parts) > 2


def _require_model_in(folder: Path) -> None:
    """Said before torch and transformers are loaded, which takes seconds."""
    if not any((folder / name).is_file() for name in _DESCRIBED_BY):
        raise ModelNotUsable(f"the folder holds no model: it has neither {' nor '.join(_DESCRIBED_BY)}")


def _on_hub(source: str) -> str:
    """The hub's name of a model; sentence-transformers' own need no owner."""
    return source if "/" in source else f"sentence-transformers/{source}"


def _is_cached(source: str) -> bool:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        folder = snapshot_download(_on_hub(source), local_files_only=True)
    except (LocalEntryNotFoundError, ValueError):
        return False
    weights = ("*.safetensors", "*.bin")
    return any(next(Path(folder).rglob(kind), None) for kind in weights)  # one may have come without the rest


def _require_on_hub(source: str) -> None:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, HFValidationError, RepositoryNotFoundError

    try:
        HfApi().model_info(_on_hub(source), timeout=WAITED_S)
    except GatedRepoError as error:
        raise ModelNotUsable("the Hugging Face hub gives it only to those who have agreed to its terms") from error
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise ModelNotUsable("the Hugging Face hub has no model of that name") from error
    except HfHubHTTPError as error:
        raise ModelNotUsable(f"the Hugging Face hub refuses it ({first_line(error)})") from error
    except Exception as error:  # of whatever the hub's client connects with
        raise ModelNotUsable(f"the Hugging Face hub cannot be reached ({first_line(error)})") from error


def _silence() -> None:
    """Progress bars, reports and telemetry off, where the user's environment does not say otherwise.

    What is wrong with a model is said in our sentence; transformers' table of its weights would stand before it.
    """
    for name in ("HF_HUB_DISABLE_PROGRESS_BARS", "HF_HUB_DISABLE_TELEMETRY", "TRANSFORMERS_NO_ADVISORY_WARNINGS"):
        os.environ.setdefault(name, "1")
    if os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error") == "error":  # which it reads when it is imported
        for library in ("transformers", "sentence_transformers"):
            logging.getLogger(library).setLevel(logging.ERROR)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # else it warns whenever a reader process is started
