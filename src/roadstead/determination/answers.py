"""Define the questions in ``determination.toml`` about a release that only people can answer.

People answer each question once, and every dialect uses the answer. A question is not assessed if
its answer is omitted, empty, or ``"not assessed"``. Every document lists such a question as not
assessed.
"""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, StringConstraints

NOT_ASSESSED = "not assessed"
"""The text that represents a missing answer, in the file and in every document."""
_MOST = 20_000
"""The maximum number of characters in an answer."""


def _answered(value: object) -> object:
    """Return the value, or None if the value is empty or means "not assessed"."""
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
    """Declare a question by its label in the documents and its text in the file."""
    return Field(default=None, title=label, description=text)


class Section(BaseModel):
    """A group of questions. In the file, each group is one table."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ExpertAnswers(Section):
    """The expert who judges the risk, and the expert's judgment."""

    name: Answer = question("Expert", "The person who judges the risk.")
    qualification: Answer = question(
        "Qualification", "Training and experience in de-identifying health data."
    )
    conclusion: Answer = question(
        "Conclusion",
        "The expert's determination, in the expert's own words. Without this answer, the "
        "document contains no determination.",
    )
    date: Day = question(
        "Date", "The date of the conclusion, for example, 2026-03-01, without quotes."
    )
    expires: Day = question(
        "Expires",
        "The last day on which the conclusion is valid, for example, 2027-03-01, without quotes.",
    )


class RecipientAnswers(Section):
    """The recipient of the release, and the conditions of the release."""

    who: Answer = question("Recipient", "The organization, and the people or roles in it.")
    purpose: Answer = question("Purpose", "The purpose of the release.")
    model: Model = question(
        "Release model",
        '"public", "inside", or "outside" (for recipients outside the organization).',
    )
    controls: Answer = question(
        "Controls", "How the data are secured: access, copies, audits, and security certificates."
    )
    contract: Answer = question(
        "Contract",
        (
            "What the agreement forbids (for example, re-identifying people, linking "
            "records, or passing on the data), and how it is enforced."
        ),
    )
    environment: Answer = question(
        "Environment",
        "Where the data are used (for example, in a secure room), and what was changed there.",
    )


class AttackerAnswers(Section):
    """The attackers who might try to identify a person, and the attackers' means."""

    who: Answer = question(
        "Attackers", "Possible attackers: insiders, acquaintances, journalists, strangers."
    )
    motive: Answer = question("Motive", "What each attacker would gain.")
    capacity: Answer = question("Capacity", "The skill, time, and money that attackers have.")
    attacks: Answer = question("Plausible attacks", "How the attackers would proceed.")
    other_data: Answer = question(
        "Other data",
        "Data with names that attackers can reasonably get, such as registers.",
    )
    features: Answer = question(
        "Features",
        (
            "The released values that do not change over time, are available elsewhere, "
            "and distinguish people."
        ),
    )
    probability: Share = question(
        "Probability of an attack",
        "The probability of an attack, for example, 0.3. If the release is public, write 1.",
    )


class DataAnswers(Section):
    """The data: which people the data describe, and why each variable has its role."""

    subjects: Answer = question(
        "People in the data", "Whose data they are, and how they were collected."
    )
    kind: Answer = question(
        "Kind of data",
        "Whether the data come from a registry, claims, a trial, or a survey, and whether "
        "there is one record per visit or per person.",
    )
    variables: dict[str, Answer] = Field(
        default_factory=dict,
        title="Why each variable has its role",
        description="One line per column: why the column is a direct identifier, a "
        "quasi-identifier, sensitive, or harmless.",
    )
    techniques: Answer = question(
        "Why these techniques", "Why this treatment was chosen, and not another treatment."
    )
    opt_out: Answer = question("Opt-outs", "Whether people who objected are left out, and how.")


class PopulationAnswers(Section):
    """The population: the people among whom a person could be singled out."""

    used: Answer = question("Population", "The people who could be in the data, and their number.")
    why: Answer = question("Why this population", "Why an attacker would look among these people.")


class ThresholdAnswers(Section):
    """The threshold: how much risk is acceptable."""

    value: Share = question("Threshold", "The highest acceptable risk, for example, 0.09.")
    measure: Measure = question("Measure", '"maximum" over all people, or "average".')
    why: Answer = question(
        "Why this threshold", "The reason for the threshold: precedent, harm, or setting."
    )


class UtilityAnswers(Section):
    """Use: the purposes for which the release must remain useful."""

    needs: Answer = question(
        "Needed for the purpose",
        "Which columns and details the purpose needs, and whether they are included.",
    )


class MinimizationAnswers(Section):
    """Minimization: why the release has no more data than needed."""

    who: Answer = question(
        "Who", "Which people are included, and why no other people are included."
    )
    what: Answer = question(
        "What", "Which variables are included, and why no other variables are included."
    )
    when: Answer = question("When", "Which period is included, in what detail, and why.")
    where: Answer = question("Where", "Which places are included, in what detail, and why.")
    how: Answer = question(
        "How", "In what form the data are released, how recipients get access, and why."
    )


class AnonymityAnswers(Section):
    """Anonymity: whether the release is anonymized or pseudonymized, why, and who has the key."""

    enough: Answer = question(
        "Do anonymized data suffice?", "Whether anonymized data are enough for the purpose."
    )
    why_not: Answer = question(
        "Why not fully anonymous",
        "Why the purpose needs pseudonyms, if anonymized data are not enough.",
    )
    keys: Answer = question(
        "Who holds the key", "Who can reverse or repeat the pseudonyms, and who cannot."
    )


class TestingAnswers(Section):
    """Tests by people: what people tested in addition to the attacks in the certificate."""

    intruder: Answer = question(
        "Motivated intruder",
        "Who tried to identify a person, how, for how long, and with what result.",
    )
    singling_out: Answer = question("Singling out", "Whether a person can be singled out, and why.")
    linkability: Answer = question(
        "Linkability", "Whether records of the same person can be linked."
    )
    inference: Answer = question("Inference", "Whether something can be inferred about a person.")
    membership: Answer = question(
        "Membership", "Whether the release shows who is in the data, and whether this matters."
    )


class ImpactAnswers(Section):
    """Impact: what re-identification would mean for people."""

    sensitivity: Answer = question(
        "Invasion of privacy",
        "How much an identification would invade privacy: low, medium, or high, and why.",
    )
    harms: Answer = question(
        "Harms", "Possible harm to people and to groups, whether or not they are identified."
    )
    transparency: Answer = question("Transparency", "How people learn that data are released.")
    engagement: Answer = question(
        "Consultation", "Who was consulted: patients, boards, or the community."
    )


class GovernanceAnswers(Section):
    """Governance: who is responsible, and what happens later."""

    roles: Answer = question("Roles", "Who decides, who does the work, and who is accountable.")
    policies: Answer = question("Policies", "Which policies and procedures apply.")
    training: Answer = question("Training", "How the people involved were trained.")
    review: Answer = question(
        "Review", "Who reviews the determination, when, and what triggers an earlier review."
    )
    monitoring: Answer = question("Monitoring", "Who watches for new data and new attacks.")
    incidents: Answer = question(
        "Incidents", "What happens if a person is identified, and whether this has happened before."
    )
    earlier_releases: Answer = question(
        "Earlier releases", "What was released earlier about the same people, and to whom."
    )


class AllAnswers(Section):
    """All answers that people gave about one release."""

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
        """Return the answer to a question such as ``expert.name``, or None if not assessed."""
        section, _, name = key.partition(".")
        return getattr(getattr(self, section), name)

    def over(self, common: AllAnswers) -> AllAnswers:
        """Return these answers, and take missing answers from `common`."""
        sections = {}
        for name in type(self).model_fields:
            own, under = getattr(self, name), getattr(common, name)
            given = {key: getattr(own, key) for key in own.model_fields_set}
            if "variables" in given:
                given["variables"] = under.variables | given["variables"]
            sections[name] = under.model_copy(update=given)
        return AllAnswers(**sections)


class ReleaseAnswers(AllAnswers):
    """A release in the file, with the answers that apply only to this release."""

    certificate: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
    name: Answer = None


class AnswersFile(AllAnswers):
    """The content of the file: the releases, and the answers that apply to all releases."""

    roadstead_determination: Literal[1] = 1
    release: tuple[ReleaseAnswers, ...] = ()


@cache
def questions() -> dict[str, Any]:
    """Return every question in the order of the file. A key is, for example, ``expert.name``."""
    return {
        f"{name}.{key}": field
        for name, section in sections().items()
        for key, field in section.model_fields.items()
    }


@cache
def sections() -> dict[str, type[Section]]:
    """Return the tables in the file, in order."""
    return {name: type(field.default) for name, field in AllAnswers.model_fields.items()}
