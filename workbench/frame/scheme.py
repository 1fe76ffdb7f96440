"""Dark or light: as the system has it, until the visitor chooses."""

from nicegui import ui
from nicegui.events import GenericEventArguments

from server.access.browser_sessions import SCHEME_COOKIE

_YEAR_S = 365 * 24 * 3600
# The browser knows what is shown now, and keeps what is chosen.
_SWITCH = f"""() => {{
  const isDark = !Quasar.Dark.isActive;
  document.cookie = "{SCHEME_COOKIE}=" + (isDark ? "dark" : "light") + "; SameSite=Strict; Max-Age={_YEAR_S}";
  emit(isDark);
}}"""


def draw_scheme_button() -> None:
    """A button that switches between the two."""
    chosen = ui.context.client.request.cookies.get(SCHEME_COOKIE)
    scheme = ui.dark_mode({"dark": True, "light": False}.get(chosen or ""))

    def switched(event: GenericEventArguments) -> None:
        scheme.set_value(bool(event.args))

    button = ui.button(icon="contrast").props('flat round dense color=white aria-label="Dark or light"')
    button.on("click", switched, js_handler=_SWITCH)
