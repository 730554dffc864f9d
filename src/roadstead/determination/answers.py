"""What only people know about a release: the questions of ``determination.toml``, and their form.

Each key is a question, asked once and used by every dialect that needs it. Nothing has to be
answered: what is left out, empty or ``"not assessed"`` is not assessed, and every document says so.
An answer is text, a day, a number or one of few words; nothing else is taken for one.
"""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, StringConstraints

NOT_ASSESSED = "not assessed"
"""What stands for no answer, in the file and in every document."""
_MOST = 20_000
"""Characters of an answer."""


def _answered(value: object) -> object:
    """Take no answer as none, however it is written."""
    if isinstance(value, str) and value.strip().lower() in ("", NOT_ASSESSED):
        return None
    return value


_NONE = BeforeValidator(_answered)
Text: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, max_length=_MOST)]
Answer: TypeAlias = Annotated[Text | None, _NONE]
Day: TypeAlias = Annotated[Annotated[date, Strict()] | None, _NONE]
Share: TypeAlias = Annotated[Annotated[float, Strict(), Field(gt=0.0, le=1.0)] | None, _NONE]
Model: TypeAlias = Annotated[Literal["public", "outside", "inside"] | None, _NONE]
Measure: TypeAlias = Annotated[Literal["maximum", "average"] | None, _NONE]


def question(label: str, text: str) -> Any:  # noqa: ANN401 - stands where an answer would
    """Declare a question: what documents call it, and what the file asks."""
    return Field(default=None, title=label, description=text)


class Section(BaseModel):
    """Questions that stand in one table of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ExpertAnswers(Section):
    """The expert: who judges the risk, and what the judgment is."""

    name: Answer = question("Expert", "Who judges the risk?")
    qualification: Answer = question(
        "Qualification", "Training, and experience in making health data unidentifiable."
    )
    conclusion: Answer = question(
        "Conclusion",
        "What the expert determines, in the expert's own words. Nothing is concluded without it.",
    )
    date: Day = question("Date", "The day of the conclusion, such as 2026-03-01, without quotes.")
    expires: Day = question("Expires", "The last day it holds, written alike.")


class RecipientAnswers(Section):
    """The recipient: who gets the release, and under which conditions."""

    who: Answer = question("Recipient", "The organization, and the people or roles in it.")
    purpose: Answer = question("Purpose", "What the release will be used for.")
    model: Model = question(
        "Release model",
        '"public", "outside" for some outside of the organization, or "inside".',
    )
    controls: Answer = question(
        "Controls", "Access, copies, audit, security certificates: what keeps the data there."
    )
    contract: Answer = question(
        "Contract", "What it forbids (re-identifying, linking, passing on), and how it is enforced."
    )
    environment: Answer = question(
        "Environment", "Where the data are used, such as a secure room, and what was changed there."
    )


class AttackerAnswers(Section):
    """Attackers: who might try to identify somebody, and with what."""

    who: Answer = question("Attackers", "Who might try: insiders, acquaintances, press, strangers.")
    motive: Answer = question("Motive", "What each of them would gain.")
    capacity: Answer = question("Capacity", "Skill, time and money that they have.")
    attacks: Answer = question("Plausible attacks", "How they would go about it.")
    other_data: Answer = question(
        "Other data", "Registers and other data that they can reasonably get, with names in them."
    )
    features: Answer = question(
        "Features",
        "Which released values stay the same, are found elsewhere, and set people apart.",
    )
    probability: Share = question(
        "Probability of an attack",
        "How likely it is that one is made, such as 0.3; 1 where the release is public.",
    )


class DataAnswers(Section):
    """The data: whose they are, and why each variable is what it is."""

    subjects: Answer = question("People in the data", "Whose data they are, how they came there.")
    kind: Answer = question("Kind of data", "Registry, claims, trial, survey; by visit, by person.")
    variables: dict[str, Answer] = Field(
        default_factory=dict,
        title="Why each variable is what it is",
        description="A line for each column: why it is identifying, a quasi-identifier, sensitive "
        "or harmless.",
    )
    techniques: Answer = question("Why these techniques", "Why this treatment and no other.")
    opt_out: Answer = question("Opt-outs", "Whether people who objected are left out, and how.")


class PopulationAnswers(Section):
    """The population: among whom somebody could be singled out."""

    used: Answer = question("Population", "Who could be in the data, and how many they are.")
    why: Answer = question("Why this population", "Why the attacker looks among these.")


class ThresholdAnswers(Section):
    """The threshold: how much risk is acceptable."""

    value: Share = question("Threshold", "The most risk that is acceptable, such as 0.09.")
    measure: Measure = question("Measure", '"maximum" over all people, or "average".')
    why: Answer = question("Why this threshold", "What it follows from: precedent, harm, setting.")


class UtilityAnswers(Section):
    """Use: what the release must still be good for."""

    needs: Answer = question(
        "Needed for the purpose", "Which columns and details the purpose needs, and are they there."
    )


class MinimizationAnswers(Section):
    """Minimization: why no more is given than is needed."""

    who: Answer = question("Who", "Which people are in it, and why no more.")
    what: Answer = question("What", "Which variables, and why no more.")
    when: Answer = question("When", "Which time, how exactly, and why.")
    where: Answer = question("Where", "Which places, how exactly, and why.")
    how: Answer = question("How", "In what form and by what access, and why.")


class AnonymityAnswers(Section):
    """Anonymized or pseudonymized: which, why, and who holds the key."""

    enough: Answer = question("Do anonymized data suffice?", "Whether they serve the purpose.")
    why_not: Answer = question(
        "Why not fully anonymous", "Where they do not: why the purpose needs pseudonyms."
    )
    keys: Answer = question(
        "Who holds the key", "Who can turn pseudonyms back or redo them, and who cannot."
    )


class TestingAnswers(Section):
    """Tests by people: what was tried by hand, next to the attacks of the certificate."""

    intruder: Answer = question(
        "Motivated intruder", "Who tried to identify somebody, how, for how long, and what came."
    )
    singling_out: Answer = question("Singling out", "Whether one person can be isolated, and why.")
    linkability: Answer = question("Linkability", "Whether records of one person can be linked.")
    inference: Answer = question("Inference", "Whether something can be inferred of a person.")
    membership: Answer = question("Membership", "Whether it shows who is in the data, and matters.")


class ImpactAnswers(Section):
    """Impact: what it would mean for people."""

    sensitivity: Answer = question(
        "Invasion of privacy", "Low, medium or high if somebody were identified, and why."
    )
    harms: Answer = question("Harms", "To persons and to groups, identified or not.")
    transparency: Answer = question("Transparency", "How people learn that data are released.")
    engagement: Answer = question("Consultation", "Who was consulted: patients, boards, community.")


class GovernanceAnswers(Section):
    """Governance: who is responsible, and what happens later."""

    roles: Answer = question("Roles", "Who decides, who works, who answers for it.")
    policies: Answer = question("Policies", "Which policies and procedures hold.")
    training: Answer = question("Training", "How the people involved were trained.")
    review: Answer = question("Review", "When this is looked at again, by whom, and what sooner.")
    monitoring: Answer = question("Monitoring", "Who watches for new data and new attacks.")
    incidents: Answer = question("Incidents", "What happens if somebody is identified; any so far.")
    earlier_releases: Answer = question(
        "Earlier releases", "What was released before about the same people, and to whom."
    )


class AllAnswers(Section):
    """All that people answer about one release."""

    expert: ExpertAnswers = ExpertAnswers()
    recipient: RecipientAnswers = RecipientAnswers()
    attackers: AttackerAnswers = AttackerAnswers()
    data: DataAnswers = DataAnswers()
    population: PopulationAnswers = PopulationAnswers()
    threshold: ThresholdAnswers = ThresholdAnswers()
    utility: UtilityAnswers = UtilityAnswers()
    minimization: MinimizationAnswers = MinimizationAnswers()
    anonymity: AnonymityAnswers = AnonymityAnswers()
    testing: TestingAnswers = TestingAnswers()
    impact: ImpactAnswers = ImpactAnswers()
    governance: GovernanceAnswers = GovernanceAnswers()

    def answer(self, key: str) -> object:
        """Give the answer to a question such as ``expert.name``; None if it is not assessed."""
        section, _, name = key.partition(".")
        return getattr(getattr(self, section), name)

    def over(self, common: AllAnswers) -> AllAnswers:
        """Lay these answers over those for all releases; what is set here goes before."""
        sections = {}
        for name in type(self).model_fields:
            own, under = getattr(self, name), getattr(common, name)
            given = {key: getattr(own, key) for key in own.model_fields_set}
            if "variables" in given:
                given["variables"] = under.variables | given["variables"]
            sections[name] = under.model_copy(update=given)
        return AllAnswers(**sections)


class ReleaseAnswers(AllAnswers):
    """A release that a file is about, and answers that hold for it alone."""

    certificate: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
    name: Answer = None


class AnswersFile(AllAnswers):
    """A whole file: the releases that it is about, and the answers for all of them."""

    roadstead_determination: Literal[1] = 1
    release: tuple[ReleaseAnswers, ...] = ()


@cache
def questions() -> dict[str, Any]:
    """Give every question by its key, such as ``expert.name``, in the order of the file."""
    return {
        f"{name}.{key}": field
        for name, section in sections().items()
        for key, field in section.model_fields.items()
    }


@cache
def sections() -> dict[str, type[Section]]:
    """Give the tables of the file, in order."""
    return {name: type(field.default) for name, field in AllAnswers.model_fields.items()}
