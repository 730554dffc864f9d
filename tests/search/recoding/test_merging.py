"""Classes merged where a model of values refuses them: who is merged with whom no value says."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from attacked import SENSITIVE, problem_of
from hypothesis import given
from hypothesis import strategies as st

from roadstead.privacy.models.distinct_l_diversity import DistinctLDiversity
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.search.protocol import Control
from roadstead.search.recoding.first_fit import FirstFit
from roadstead.search.recoding.merging import NONE, merge_tree
from roadstead.search.recoding.mondrian import Mondrian
from roadstead.search.recoding.protocol import OUT
from roadstead.search.recoding.solve import solve

ROWS = st.lists(
    st.tuples(*(st.sampled_from(own) for own in (("p01", "p02", "p03"), ("m", "w"), ("x", "y")))),
    min_size=6,
    max_size=30,
)
