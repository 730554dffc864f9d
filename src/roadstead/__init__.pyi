# The names that `import roadstead` provides, and the module of each name: the only such list. Type
# checkers read this file, and `__init__.py` reads it when it is imported. Keep one import per line.

from roadstead.errors import HierarchyError as HierarchyError
from roadstead.errors import InputError as InputError
from roadstead.errors import MissingExtraError as MissingExtraError
from roadstead.errors import NoPolicyError as NoPolicyError
from roadstead.errors import OutputError as OutputError
from roadstead.errors import PolicyError as PolicyError
from roadstead.errors import Refusal as Refusal
from roadstead.errors import RoadsteadError as RoadsteadError
from roadstead.errors import RoleError as RoleError
from roadstead.errors import SettingError as SettingError
from roadstead.errors import SourceError as SourceError
from roadstead.errors import VerificationError as VerificationError
from roadstead.hierarchies.arx_csv import read_hierarchy as read_hierarchy
from roadstead.hierarchies.arx_csv import write_hierarchy as write_hierarchy
from roadstead.jobs import Job as Job
from roadstead.jobs import Observer as Observer
from roadstead.policies.document import Policy as Policy
from roadstead.policies.document import read_policy as read_policy
from roadstead.release.gate.rules import GateFinding as GateFinding
from roadstead.release.signing.finding import SignatureFinding as SignatureFinding
from roadstead.release.verification.checks import Verification as Verification
from roadstead.reports.release.drift import Drift as Drift
from roadstead.reports.repetition import Repetition as Repetition
from roadstead.schemas.documents import schema as schema
from roadstead.tables.reading import read as read
from roadstead.tables.roles import Roles as Roles
from roadstead.tables.source import Source as Source
from roadstead.verbs.anonymize.request import AnonymizeRequest as AnonymizeRequest
from roadstead.verbs.anonymize.result import Anonymization as Anonymization
from roadstead.verbs.apply.as_sql import as_sql as as_sql
from roadstead.verbs.apply.request import ApplyRequest as ApplyRequest
from roadstead.verbs.apply.result import Application as Application
from roadstead.verbs.attack.function import attack as attack
from roadstead.verbs.attack.request import AttackRequest as AttackRequest
from roadstead.verbs.attack.result import AttackFinding as AttackFinding
from roadstead.verbs.determine.function import determine as determine
from roadstead.verbs.determine.request import DetermineRequest as DetermineRequest
from roadstead.verbs.determine.result import DeterminationFinding as DeterminationFinding
from roadstead.verbs.evaluate.function import evaluate as evaluate
from roadstead.verbs.evaluate.request import EvaluateRequest as EvaluateRequest
from roadstead.verbs.evaluate.result import EvaluationFinding as EvaluationFinding
from roadstead.verbs.frontier.request import FrontierRequest as FrontierRequest
from roadstead.verbs.frontier.result import FrontierFinding as FrontierFinding
from roadstead.verbs.functions import anonymize as anonymize
from roadstead.verbs.functions import apply as apply
from roadstead.verbs.functions import frontier as frontier
from roadstead.verbs.functions import key as key
from roadstead.verbs.functions import repeat as repeat
from roadstead.verbs.functions import risk as risk
from roadstead.verbs.functions import scan as scan
from roadstead.verbs.functions import sign as sign
from roadstead.verbs.functions import verify as verify
from roadstead.verbs.gate.function import gate as gate
from roadstead.verbs.gate.request import GateRequest as GateRequest
from roadstead.verbs.key.request import KeyRequest as KeyRequest
from roadstead.verbs.repeat.request import RepeatRequest as RepeatRequest
from roadstead.verbs.risk.request import RiskRequest as RiskRequest
from roadstead.verbs.risk.result import RiskFinding as RiskFinding
from roadstead.verbs.scan.request import ScanRequest as ScanRequest
from roadstead.verbs.scan.result import Proposal as Proposal
from roadstead.verbs.sign.request import SignRequest as SignRequest
from roadstead.verbs.synthesize.function import synthesize as synthesize
from roadstead.verbs.synthesize.request import SynthesizeRequest as SynthesizeRequest
from roadstead.verbs.synthesize.result import SynthesisFinding as SynthesisFinding
from roadstead.verbs.verify.request import VerifyRequest as VerifyRequest

__version__: str
__all__: list[str]  # noqa: PYI035 - `__init__.py` sorts the names above
_HOMES: dict[str, str]
