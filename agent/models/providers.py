"""The providers' models, over their own SDKs, set up for how a turn uses them."""

from dataclasses import replace
from importlib import import_module
from inspect import signature
from typing import Any, cast

from propcache import cached_property
from pydantic_ai.models import DEFAULT_HTTP_TIMEOUT, Model, ModelRequestParameters, infer_model
from pydantic_ai.providers import Provider, infer_provider
from pydantic_ai.settings import ModelSettings, merge_model_settings
from pydantic_ai.tools import ToolDefinition
from pydantic_core import to_json

from agent.models.answer_limit import LimitedAnswers

# Providers that speak OpenAI's protocol and take a client of ours.
_SPEAK_OPENAI = ("openai", "openai-chat", "openai-responses", "ollama", "vllm", "litellm")
# Their SDKs take a client of httpx; those of all others one of httpx2.
_ON_HTTPX = ("groq", "cohere")
_OWN_CLIENT = ("huggingface",)  # takes `http_client`, and refuses it
# What grows from one request of a turn to the next; everything else stays as it is.
_CONVERSATION = ("messages", "input")


def provided_model(name: str) -> Model:
    """The model `provider:name` of pydantic-ai. The SDKs' own variables (keys, base URLs) are honoured.

    Raises:
        UserError, ValueError, ImportError: The provider is unknown, or lacks its key or address.
    """
    model = infer_model(name, provider_factory=_provider)
    if name.startswith("anthropic:"):
        return _with_tools_as_they_are(model)
    if not name.startswith(_SPEAK_OPENAI):
        return _with_tools_made_once(model)
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile

    if not isinstance(model, OpenAIChatModel):
        return _with_tools_made_once(model)
    # Otherwise a stream that is cut passes for a whole answer.
    profile = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    chat = type(model)(model.model_name, provider=cast("Any", model.provider), profile=profile)
    return _with_tools_made_once(chat)


def _with_tools_made_once(model: Model) -> Model:
    """The model with its provider's form of the tools kept: the library would make it anew for every request."""
    customize = model.customize_request_parameters
    made: list[tuple[list[ToolDefinition], list[ToolDefinition]]] = []

    def customized(parameters: ModelRequestParameters) -> ModelRequestParameters:
        given = parameters.function_tools
        own = next((own for kept, own in made if kept == given), None)
        if own is None:
            own = customize(parameters).function_tools
            made[:] = [*made[-1:], (given, own)]  # with the tool that answers a question and without it
        return replace(customize(replace(parameters, function_tools=[])), function_tools=own)

    cast("Any", model).customize_request_parameters = customized
    return model


def _with_tools_as_they_are(model: Model) -> Model:
    """Claude with the tools beside what the library prepares.

    It and the SDK would walk all of their schemas for every request, for what `tools.tool_schemas` never puts in.
    """
    from pydantic_ai.models.anthropic import AnthropicModel

    class Claude(AnthropicModel):
        def prepare_request(
            self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
        ) -> tuple[ModelSettings | None, ModelRequestParameters]:
            tools: list[dict[str, Any]] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters_json_schema}
                for tool in model_request_parameters.function_tools
            ]
            tools[-1]["cache_control"] = {"type": "ephemeral", "ttl": "5m"}
            beside = ModelSettings(extra_body={"tools": tools, "tool_choice": {"type": "auto"}})
            rest = replace(model_request_parameters, function_tools=[])
            return super().prepare_request(merge_model_settings(model_settings, beside), rest)

    assert isinstance(model, AnthropicModel)
    return Claude(model.model_name, provider=cast("Any", model.provider))


def _provider(name: str) -> Provider[Any]:
    provider = infer_provider(name)  # says which variable is missing
    if name == "anthropic":
        return _anthropic()
    return _openai(provider) if name in _SPEAK_OPENAI else _with_limited_answers(name, type(provider)) or provider


def _anthropic() -> Provider[Any]:
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient, NotGiven, Omit
    from pydantic_ai.providers.anthropic import AnthropicProvider

    class AnthropicClient(AsyncAnthropic):
        async def post(self, path: str, *, body: Any = None, options: Any = None, **kwargs: Any) -> Any:
            given = {name: value for name, value in body.items() if not isinstance(value, (Omit, NotGiven))}
            content = to_json(_conversation_last(given | options.pop("extra_json", {})))
            return await super().post(path, content=content, options=options, **kwargs)

    class HttpClient(LimitedAnswers, DefaultAsyncHttpxClient):
        pass

    return AnthropicProvider(anthropic_client=AnthropicClient(max_retries=0, http_client=HttpClient()))


def _openai(provider: Provider[Any]) -> Provider[Any]:
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Omit, omit
    from openai.resources.chat import AsyncChat, AsyncCompletions
    from openai.resources.responses import AsyncResponses

    class ToolsBeside:
        """With the tools beside what the SDK walks: it holds each against every kind of tool that there is."""

        async def create(self, *, tools: Any = omit, extra_body: Any = None, **given: Any) -> Any:
            beside = {} if isinstance(tools, Omit) else {"tools": tools}
            return await cast("Any", super()).create(extra_body=beside | (extra_body or {}), **given)

    class Responses(ToolsBeside, AsyncResponses):
        pass

    class Completions(ToolsBeside, AsyncCompletions):
        pass

    class Chat(AsyncChat):
        @cached_property
        def completions(self) -> AsyncCompletions:  # pyright: ignore[reportIncompatibleMethodOverride]
            return Completions(self._client)

    class OpenAIClient(AsyncOpenAI):
        @cached_property
        def responses(self) -> AsyncResponses:  # pyright: ignore[reportIncompatibleMethodOverride]
            return Responses(self)

        @cached_property
        def chat(self) -> AsyncChat:  # pyright: ignore[reportIncompatibleMethodOverride]
            return Chat(self)

        async def post(self, path: str, *, body: Any = None, options: Any = None, **given: Any) -> Any:
            whole = body | options.pop("extra_json", {})
            return await super().post(path, body=_conversation_last(whole), options=options, **given)

    class HttpClient(LimitedAnswers, DefaultAsyncHttpxClient):
        pass

    named = provider.client
    client = OpenAIClient(api_key=named.api_key, base_url=named.base_url, max_retries=0, http_client=HttpClient())
    return cast("Any", type(provider))(openai_client=client)


def _with_limited_answers(name: str, kind: type[Provider[Any]]) -> Provider[Any] | None:
    """None where the SDK has a client of its own, as those of Bedrock, xAI and Hugging Face; and behind a gateway."""
    if name in _OWN_CLIENT or "/" in name or "http_client" not in signature(kind).parameters:
        return None
    httpx = import_module("httpx" if name in _ON_HTTPX else "httpx2")
    client: Any = type("HttpClient", (LimitedAnswers, httpx.AsyncClient), {})
    # The library's own times: a model may think for minutes before it says anything.
    return cast("Any", kind)(http_client=client(timeout=httpx.Timeout(DEFAULT_HTTP_TIMEOUT, connect=5)))


def _conversation_last(body: dict[str, Any]) -> dict[str, Any]:
    """The request with the conversation at its end.

    So consecutive requests of a turn are the same bytes up to what is new. Retries are the turn's (`Retries`), which
    tells the user; the SDK would wait in silence.
    """
    last = {name: body[name] for name in _CONVERSATION if name in body}
    return {name: value for name, value in body.items() if name not in last} | last
