"""A privacy model as one option: ``t-closeness:column=diagnosis,t=0.2``."""

from __future__ import annotations

from roadstead.errors import SettingError


def model_settings(text: str) -> dict[str, str]:
    """Read a model's kind and parameters; numbers stay text, the model knows which they are.

    Raises
    ------
    SettingError
        When a parameter has no value.
    """
    kind, _, rest = text.partition(":")
    settings = {"kind": kind.strip()}
    for part in rest.split(",") if rest else ():
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            raise SettingError(
                f"{part!r} is no parameter",
                where="--privacy",
                fix="write it like t-closeness:column=diagnosis,t=0.2",
            )
        settings[name.strip()] = value.strip()
    return settings
