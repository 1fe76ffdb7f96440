"""What went wrong with the model, as a sentence that says what to do."""

from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelUnavailableError,
    OutputTokenLimitExceeded,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)

from agent.editor import Failure

_WHAT_STAYS = "What it did so far stays; ask for the rest in smaller pieces."

# The first that fits counts, so the general ones come last.
_SENTENCES: tuple[tuple[type[Exception], str, str], ...] = (
    (
        ModelAuthenticationError,
        "MODEL_AUTHENTICATION",
        "The provider of {model} refused the key. Check it, then restart.",
    ),
    (
        ModelNotFoundError,
        "MODEL_NOT_FOUND",
        "The provider does not know the model {model}. Check FLETCHER_MODEL.",
    ),
    (
        ModelContextWindowExceededError,
        "CONTEXT_TOO_LARGE",
        "The conversation and the project do not fit into {model}. Clear the chat, or lower FLETCHER_CONTEXT_TOKENS.",
    ),
    (
        ModelQuotaExceededError,
        "MODEL_QUOTA",
        "The provider's quota or credit is used up. Check the account's billing.",
    ),
    (
        ModelRateLimitError,
        "MODEL_RATE_LIMIT",
        "The provider's rate limit is reached. Wait a minute and send it again.",
    ),
    (
        ModelUnavailableError,
        "MODEL_OVERLOADED",
        "The provider is overloaded. Send the message again in a moment.",
    ),
    (
        ModelConnectionError,
        "MODEL_UNREACHABLE",
        "The provider of {model} cannot be reached. Check network and base URL.",
    ),
    (UsageLimitExceeded, "STEP_LIMIT", "The model took too many steps and was stopped. " + _WHAT_STAYS),
    (
        ContentFilterError,
        "CONTENT_FILTER",
        "The provider's content filter has held back the answer. Ask in other words.",
    ),
    (
        OutputTokenLimitExceeded,
        "ANSWER_TOO_LONG",
        "The model's answer came to the limit of its length in the middle of a call. " + _WHAT_STAYS,
    ),
    (
        UnexpectedModelBehavior,
        "MODEL_MISBEHAVED",
        "The model kept making calls that cannot be read. " + _WHAT_STAYS,
    ),
    (
        AgentRunError,
        "MODEL_ERROR",
        "The provider of {model} answered with an error. Try again; the log has more.",
    ),
)

MODEL_ERRORS = (AgentRunError,)


def model_failure(error: Exception, model_name: str) -> Failure:
    """The sentence for one of `MODEL_ERRORS`."""
    for kind, code, sentence in _SENTENCES:
        if isinstance(error, kind):
            return Failure(code, sentence.format(model=model_name))
    raise error
