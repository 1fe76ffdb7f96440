"""What went wrong with the model, as a sentence that says what to do."""

import math

from pydantic_ai import exceptions

from agent.editing.editor import Failure


class AnswerBrokenOff(exceptions.AgentRunError):
    """The provider's stream ended before the answer was complete."""


class AnswerWithoutEnd(exceptions.UnexpectedModelBehavior):
    """The provider sent more than any answer has."""


class AnswerUnreadable(exceptions.UnexpectedModelBehavior):
    """The provider sent what is no answer."""


_MINUTE, _HOUR = 60, 3600
_SMALLER = "Ask for it in smaller pieces."

# The first that fits counts, so the general ones come last.
_SENTENCES: dict[type[Exception], tuple[str, str]] = {
    exceptions.ModelAuthenticationError: (
        "MODEL_AUTHENTICATION",
        (
            "The provider of {model} refused the key. Put a valid key into the environment "
            "(ANTHROPIC_API_KEY, OPENAI_API_KEY …), check that it may use this model, and restart the server."
        ),
    ),
    exceptions.ModelNotFoundError: (
        "MODEL_NOT_FOUND",
        "The provider does not know the model {model}. Check FLETCHER_MODEL for its spelling, then restart the server.",
    ),
    exceptions.ModelContextWindowExceededError: (
        "CONTEXT_TOO_LARGE",
        "The conversation and the project do not fit into {model}. Clear the chat, or lower FLETCHER_CONTEXT_TOKENS.",
    ),
    exceptions.ModelQuotaExceededError: (
        "MODEL_QUOTA",
        (
            "The account's quota or credit at the provider of {model} is used up. Check its billing, or set "
            "FLETCHER_MODEL to another model."
        ),
    ),
    exceptions.ModelRateLimitError: (
        "MODEL_RATE_LIMIT",
        "The provider's rate limit is still reached after several tries. Send the message again in {wait}.",
    ),
    exceptions.ModelUnavailableError: (
        "MODEL_OVERLOADED",
        "The provider is still overloaded after several tries. Send the message again in {wait}.",
    ),
    exceptions.ModelServerError: (
        "MODEL_OVERLOADED",
        "The provider keeps failing with an error of its own. Send the message again in {wait}.",
    ),
    AnswerBrokenOff: (
        "ANSWER_BROKEN_OFF",
        "The connection to the provider broke off in the middle of the answer. Ask it to go on.",
    ),
    exceptions.ModelConnectionError: (
        "MODEL_UNREACHABLE",
        (
            "The provider of {model} cannot be reached. Check the network and the base URL "
            "(ANTHROPIC_BASE_URL, OPENAI_BASE_URL …), and that a local model's server is running."
        ),
    ),
    exceptions.ModelRequestRejectedError: (
        "MODEL_REJECTED",
        (
            "The provider of {model} does not accept the request; the server's log has its reason. A model "
            "that cannot call tools is one: set FLETCHER_MODEL to another."
        ),
    ),
    exceptions.UsageLimitExceeded: ("STEP_LIMIT", "The model took too many steps and was stopped. " + _SMALLER),
    exceptions.ContentFilterError: (
        "CONTENT_FILTER",
        (
            "The model or its provider's content filter refused to answer this. Say it in other words, or "
            "clear the chat if something earlier in it is the reason."
        ),
    ),
    exceptions.OutputTokenLimitExceeded: (
        "ANSWER_TOO_LONG",
        "The model's answer came to the limit of its length in the middle of a call. " + _SMALLER,
    ),
    AnswerWithoutEnd: (
        "MODEL_MISBEHAVED",
        "The provider of {model} sent more than any answer has, and was cut off. Check "
        "the base URL (ANTHROPIC_BASE_URL, OPENAI_BASE_URL …) if it is set. " + _SMALLER,
    ),
    AnswerUnreadable: (
        "MODEL_MISBEHAVED",
        (
            "What the provider of {model} sent cannot be read; the server's log has more. Check the base URL "
            "(ANTHROPIC_BASE_URL, OPENAI_BASE_URL …) if it is set, then try again."
        ),
    ),
    exceptions.UnexpectedModelBehavior: (
        "MODEL_MISBEHAVED",
        "The model kept making calls that cannot be read. " + _SMALLER,
    ),
    exceptions.AgentRunError: (
        "MODEL_ERROR",
        "The provider of {model} answered with an error. Try again; the server's log has more.",
    ),
}


def model_failure(error: exceptions.AgentRunError, model_name: str) -> Failure:
    """What the user is told of it."""
    asked_for = error.retry_after if isinstance(error, exceptions.ModelAPIError) else None
    wait = _said(asked_for or 0)
    for kind, (code, sentence) in _SENTENCES.items():
        if isinstance(error, kind):
            return Failure(code, sentence.format(model=model_name, wait=wait, error=error))
    raise error


def _said(seconds: float) -> str:
    """A wait as people say it; a provider may ask for any number."""
    if not seconds > _MINUTE:
        return "a minute"
    if seconds <= 2 * _HOUR:
        return f"{math.ceil(seconds / _MINUTE)} minutes"
    return f"{math.ceil(seconds / _HOUR)} hours" if seconds <= 48 * _HOUR else "some days"
