"""Settings of privacy models that a search on a small table may request."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

LABELS = [["x", "low", "*"], ["y", "low", "*"], ["z", "high", "*"], ["", "none", "*"]]


def asked() -> st.SearchStrategy[dict[str, Any]]:
    """Settings of any model without a population, for a column of two values and blanks."""
    share = st.integers(0, 20).map(lambda n: n / 20)
    column = {"column": st.just("target")}
    blank = st.sampled_from(["no-value", "value"])

    def kind(name: str, **parameters: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
        return st.fixed_dictionaries({"kind": st.just(name), **parameters})

    return st.one_of(
        kind("distinct-l-diversity", **column, l=st.integers(2, 3), blank=blank),
        kind("entropy-l-diversity", **column, l=st.sampled_from([1.5, 2, 2.5]), blank=blank),
        kind("grassberger-l-diversity", **column, l=st.sampled_from([1.5, 2, 2.5]), blank=blank),
        kind(
            "recursive-cl-diversity",
            **column,
            c=st.sampled_from([0.5, 1, 3]),
            l=st.just(2),
            blank=blank,
        ),
        kind("t-closeness", **column, t=share),
        kind(
            "t-closeness",
            **column,
            t=share,
            distance=st.just("ordered"),
            order=st.just(["x", "y", "z", ""]),
        ),
        kind(
            "t-closeness",
            **column,
            t=share,
            distance=st.just("hierarchical"),
            hierarchy=st.just(LABELS),
        ),
        kind("beta-likeness", **column, beta=st.sampled_from([0.2, 0.5, 1, 2])),
        kind(
            "delta-disclosure",
            **column,
            delta=st.sampled_from([0.3, 0.8, 1.5]),
            every_value=st.booleans(),
        ),
        kind("average-risk", average=st.sampled_from([0.1, 0.2, 0.4])),
        kind(
            "records-at-risk",
            maximum=st.sampled_from([0.2, 0.34]),
            at_risk=st.sampled_from([0.0, 0.1, 0.4]),
            average=st.sampled_from([0.1, 0.3, 1.0]),
        ),
        kind("no-attack", gain=st.sampled_from([0.0, 3.0, 5.5]), cost=st.just(1.0)),
        kind(
            "profitability",
            benefit=st.just(10.0),
            loss=st.sampled_from([0.0, 5.0, 20.0, 60.0]),
            gain=st.sampled_from([3.0, 12.0]),
            cost=st.sampled_from([0.0, 1.0]),
        ),
        kind("sample-uniqueness", maximum=st.sampled_from([0.0, 0.1, 0.3])),
        kind(
            "population-uniqueness",
            maximum=st.sampled_from([0.001, 0.01]),
            people=st.just(10_000),
            estimator=st.sampled_from(["dankar", "zayatz"]),
        ),
        kind(
            "strict-average-risk",
            average=st.sampled_from([0.1, 0.2, 0.4]),
            maximum=st.sampled_from([0.25, 0.5]),
        ),
    )
