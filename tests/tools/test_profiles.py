"""What providers demand of definitions of tools."""

import pytest

from callwright.tools.profiles import (
    TOOL_PROVIDERS,
    ToolWants,
    all_tool_profiles,
    tool_profile,
)

NAMES = {
    "read_file": {"mcp", "mcp-2026-07-28", "openai", "anthropic", "gemini", "bedrock", "mistral"},
    "a.b": {"mcp", "mcp-2026-07-28", "gemini"},
    "a:b": {"gemini"},
    "1st": {"mcp", "mcp-2026-07-28", "openai", "anthropic", "bedrock", "mistral"},
    "a/b": set(),
    "ä": set(),
    "a b": set(),
    "a\n": set(),
    "x" * 64: {"mcp", "mcp-2026-07-28", "openai", "anthropic", "gemini", "bedrock", "mistral"},
    "x" * 65: {"mcp", "mcp-2026-07-28", "anthropic", "gemini"},
    "x" * 129: set(),
}


@pytest.mark.parametrize("name", NAMES)
def test_names_that_providers_take(name: str) -> None:
    asked = [profile for profile in all_tool_profiles() if profile.demand(ToolWants.NAME) is not None]
    assert {profile.name for profile in asked if profile.accepts_name(name)} == NAMES[name]


@pytest.mark.parametrize(
    ("provider", "name", "wanted"),
    [
        ("openai", "files.read", "files_read"),
        ("gemini", "3d view", "_3d_view"),
        ("mcp", " a/b ", "a_b"),
        ("openai", "äö", None),
        ("openai", "x" * 65, None),
        ("vercel", "a b", None),
    ],
)
def test_the_name_that_is_accepted_instead(provider: str, name: str, wanted: str | None) -> None:
    assert tool_profile(provider, "").accepted_name(name) == wanted


def test_a_revision_that_states_nothing_of_names_takes_any() -> None:
    assert tool_profile("mcp-2025-06-18", "mcp").accepts_name("read a file!")


@pytest.mark.parametrize(
    ("provider", "source", "name"),
    [
        (None, "mcp", "mcp"),
        (None, "converse", "bedrock"),
        (None, "plain", "none"),
        (None, "", "none"),
        ("openai-responses", "mcp", "openai"),
        ("vercel", "mcp", "none"),
        ("none", "openai", "none"),
    ],
)
def test_the_provider_goes_before_the_shape(provider: str | None, source: str, name: str) -> None:
    assert tool_profile(provider, source).name == name


def test_every_demand_has_a_source() -> None:
    assert {profile.name for profile in all_tool_profiles()} == set(TOOL_PROVIDERS)
    for profile in all_tool_profiles():
        assert profile.demands
        assert all(demand.source.startswith("https://") for demand in profile.demands.values())


def test_every_want_of_schemas_has_an_address() -> None:
    asked = [demands for profile in all_tool_profiles() for demands in (profile.always, profile.strict) if demands]
    assert len(asked) == 5
    for demands in asked:
        reported = [*demands.refused.values(), *demands.refused_at_top.values(), *demands.wants.values()]
        assert reported
        assert all(one.source.startswith("https://") for one in reported)
        assert demands.taken.keys() <= demands.refused.keys()
