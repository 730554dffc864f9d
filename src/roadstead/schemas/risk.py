"""Define the output of `risk`, which is about records or people."""

from __future__ import annotations

from typing import Literal, NotRequired

from roadstead.release.documents import Fingerprint
from roadstead.schemas.shared import ClosedJSON, Count, CountedJSON, RecordsBelowKJSON, Share


class RiskPopulationJSON(ClosedJSON):
    basis: str | None
    people: Count | None
    sampling_fraction: float | None


class MarketerJSON(ClosedJSON):
    sample: Share
    population: Share | None


class PopulationUniquesJSON(ClosedJSON):
    uniques: float | None
    share: float | None
    takes: NotRequired[str]
    reason: NotRequired[str]


class ContributionJSON(ClosedJSON):
    attribute: str
    contribution: float
    keys: Count
    separation: Share
    uniques_without: Count


class RiskSharesJSON(ClosedJSON):
    maximum: Share
    average: Share
    share_above_threshold: Share


class JournalistOfPersonsJSON(RiskSharesJSON):
    estimated: bool


class JournalistJSON(JournalistOfPersonsJSON):
    population_unique_records: Count | None


class AssessedTableJSON(ClosedJSON):
    """The fields about the table in every assessment."""

    source: str
    records: Count
    counted: CountedJSON
    quasi: list[str]
    threshold: Share
    population: RiskPopulationJSON
    policy: str | None
    notes: list[str]
    seconds: float


class MeasuredRiskJSON(ClosedJSON):
    """The figures for both records and people."""

    marketer: MarketerJSON
    expected_below_k: RecordsBelowKJSON | None
    classes: Count
    population_uniques: dict[str, PopulationUniquesJSON]
    contributions: list[ContributionJSON]


class ClassSizeJSON(ClosedJSON):
    size: Count
    classes: Count


class CombinationJSON(ClosedJSON):
    attributes: list[str]
    records: Count
    contribution: float


class RiskToRecordsJSON(MeasuredRiskJSON):
    prosecutor: RiskSharesJSON
    journalist: NotRequired[JournalistJSON]
    class_sizes: list[ClassSizeJSON]
    smallest_class: Count
    largest_class: Count
    sample_uniques: Count
    suppressed: Count
    combinations: list[CombinationJSON]


class RecordsAssessedJSON(AssessedTableJSON, RiskToRecordsJSON):
    after: RiskToRecordsJSON | None


class ShortRiskJSON(ClosedJSON):
    maximum: Share
    average: Share
    records: Count
    unique_records: Count
    smallest_class: Count


class CountingRecordsJSON(ClosedJSON):
    before: ShortRiskJSON
    after: ShortRiskJSON | None


class PersonsFittingJSON(ClosedJSON):
    persons_fitting: Count
    persons: Count


class ProsecutorOfPersonsJSON(RiskSharesJSON):
    knows: str
    persons: Count
    threshold: Share
    persons_above_threshold: Count
    persons_unique: Count
    least_persons_fitting: Count
    most_persons_fitting: Count
    sizes: list[PersonsFittingJSON]


class UnicityJSON(ClosedJSON):
    known: Count | Literal["all"]
    below_k: Share
    alone: Share
    exact: bool
    confidence: NotRequired[Share]
    below_k_interval: NotRequired[list[Share]]
    alone_interval: NotRequired[list[Share]]
    drawn: NotRequired[Count]


class ClassSizeOfPersonsJSON(ClosedJSON):
    persons: Count
    classes: Count


class CombinationOfPersonsJSON(ClosedJSON):
    attributes: list[str]
    combinations: Count
    contribution: float


class RiskToPersonsJSON(MeasuredRiskJSON):
    prosecutor: ProsecutorOfPersonsJSON
    journalist: NotRequired[JournalistOfPersonsJSON]
    unicity: list[UnicityJSON]
    records_left_out: Count
    persons_left_out: Count
    class_sizes: list[ClassSizeOfPersonsJSON]
    combinations: list[CombinationOfPersonsJSON]


class PersonsAfterJSON(RiskToPersonsJSON):
    records: Count


class PersonsAssessedJSON(AssessedTableJSON, RiskToPersonsJSON):
    person: str
    knows: str
    persons: Count
    k: Count
    counting_records: CountingRecordsJSON
    after: PersonsAfterJSON | None


class AdviceAnswersJSON(ClosedJSON):
    whole_population: bool | None
    membership_known: bool | None
    self_revealing: bool | None


class AdvisedModelJSON(ClosedJSON):
    attacker: str
    model: str
    k: Count
    least_class_size: Count
    threshold: Share
    sampling_fraction: float | None
    notes: list[str]
    options: list[str]
    command: str


class AdviceJSON(AdvisedModelJSON):
    answers: AdviceAnswersJSON
    statement: list[str]


class AdviceQuestionJSON(ClosedJSON):
    name: str
    asks: str
    yes: str
    no: str


class AdviceOutcomeJSON(AdvisedModelJSON):
    when: str


class AdviceQuestionsJSON(ClosedJSON):
    questions: list[AdviceQuestionJSON]
    outcomes: list[AdviceOutcomeJSON]


class PrintedRiskOfRecordsJSON(RecordsAssessedJSON):
    advice: NotRequired[AdviceJSON | AdviceQuestionsJSON]
    out: NotRequired[str]


class PrintedRiskOfPersonsJSON(PersonsAssessedJSON):
    advice: NotRequired[AdviceJSON | AdviceQuestionsJSON]
    out: NotRequired[str]


RiskJSON = PrintedRiskOfRecordsJSON | PrintedRiskOfPersonsJSON


class FileOfRecordsJSON(RecordsAssessedJSON):
    advice: NotRequired[AdviceJSON | AdviceQuestionsJSON]
    files: list[Fingerprint]


class FileOfPersonsJSON(PersonsAssessedJSON):
    advice: NotRequired[AdviceJSON | AdviceQuestionsJSON]
    files: list[Fingerprint]


RiskFileJSON = FileOfRecordsJSON | FileOfPersonsJSON
