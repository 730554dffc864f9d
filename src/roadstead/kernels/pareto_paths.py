"""Use label setting to find the Pareto-optimal partitions of one ordered domain into intervals.

A *label* is a partition of the values before a *node*, with its risk and its loss. Adding an
interval to a label gives a label of a later node. Labels that are nearly equal are merged. A merged
label has the risk and the loss of one of the original labels. The *low* risk of a merged label is
the lowest risk of all original labels.

Invariant: the labels of a node are in ascending order of low risk and in strictly descending order
of loss, so no label dominates another.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Real, Whole, compiled

LOW, RISK, LOSS = range(3)
"""The indices of the rows in an array of labels."""


@compiled
def extend(
    labels: Real, offsets: Whole, risks: Real, losses: Real, close: float
) -> tuple[Real, Whole]:
    """Return the labels of a node, and the earlier label that each label extends.

    Parameters
    ----------
    labels
        The labels of all nodes before this node, node by node, with the shape ``(3, labels)``.
    offsets
        The index where the labels of each of these nodes begin, followed by the end.
    risks, losses
        The risk and the loss of the interval from each of these nodes to this node.
    close
        Losses that differ by less than this number count as equal.
    """
    most = offsets[-1] + 1
    old, new = np.empty((3, most)), np.empty((3, most))
    old_parents, new_parents = np.empty(most, np.int64), np.empty(most, np.int64)
    held = 0
    for node in range(offsets.size - 1):
        risk, loss = risks[node], losses[node]
        mine, end = offsets[node], offsets[node + 1]
        theirs, found = 0, 0
        least = np.inf
        while mine < end or theirs < held:
            take_mine = theirs == held
            if not take_mine and mine < end:
                low = labels[LOW, mine] + risk
                take_mine = low < old[LOW, theirs] or (
                    low == old[LOW, theirs] and labels[LOSS, mine] + loss < old[LOSS, theirs]
                )
            if take_mine:
                parent, mine = mine, mine + 1
                low, high = labels[LOW, parent] + risk, labels[RISK, parent] + risk
                lost = labels[LOSS, parent] + loss
            else:
                low, high, lost = old[LOW, theirs], old[RISK, theirs], old[LOSS, theirs]
                parent, theirs = old_parents[theirs], theirs + 1
            if lost < least - close:
                least = lost
                new[LOW, found], new[RISK, found], new[LOSS, found] = low, high, lost
                new_parents[found] = parent
                found += 1
        old, new = new, old
        old_parents, new_parents = new_parents, old_parents
        held = found
    return old[:, :held].copy(), old_parents[:held].copy()


@compiled
def thin(labels: Real, width: float) -> Whole:
    """Merge labels in place if their low risks differ by at most `width`; return the kept labels.

    In each run of such labels, the last label has the lowest loss and is kept. This label gets the
    low risk of the first label in the run.
    """
    stay = np.empty(labels.shape[1], np.int64)
    found = 0
    first = 0
    for label in range(labels.shape[1]):
        after = label + 1
        if after == labels.shape[1] or labels[LOW, after] - labels[LOW, first] > width:
            labels[LOW, label] = labels[LOW, first]
            stay[found] = label
            found += 1
            first = after
    return stay[:found].copy()


@compiled
def promising(
    labels: Real, to_go: tuple[Real, Real], frontier: tuple[Real, Real], close: float
) -> Whole:
    """Return the labels of a node that may become part of a frontier.

    `to_go` contains the risks (ascending) and losses (descending) of the lower convex hull of all
    partitions of the values from the node to the end. `frontier` contains the points of the
    frontier so far.
    """
    risks, losses = to_go
    steps, heights = frontier
    stay = np.empty(labels.shape[1], np.int64)
    found = 0
    corners = max(risks.size - 1, 1)
    for label in range(labels.shape[1]):
        low, loss = labels[LOW, label], labels[LOSS, label]
        step = np.searchsorted(steps, low + risks[0] + close, side="right")
        beyond = False
        for corner in range(corners):
            risk = low + risks[corner] + close
            least = loss + losses[min(corner + 1, losses.size - 1)] + close
            while step < steps.size and steps[step] <= risk:
                step += 1
            if step == 0 or heights[step - 1] > least:
                beyond = True
                break
        if beyond:
            stay[found] = label
            found += 1
    return stay[:found].copy()


@compiled
def hulls_to_go(risks: Real, losses: Real, prices: Real) -> tuple[Real, Real]:
    """For each price, return the risk and loss of the cheapest partition from each node to the end.

    Both arrays have the shape ``(nodes, prices)``. At the first price of loss,
    which is 0, only the risk counts. At an infinite price, only the loss counts.
    """
    size = risks.shape[0]
    risk_to_go = np.zeros((size + 1, prices.size))
    loss_to_go = np.zeros((size + 1, prices.size))
    for number in range(prices.size):
        own, other = (0.0, 1.0) if np.isinf(prices[number]) else (1.0, prices[number])
        for first in range(size - 1, -1, -1):
            least, at = np.inf, size - 1
            for last in range(first, size):
                cost = own * (risks[first, last] + risk_to_go[last + 1, number])
                cost += other * (losses[first, last] + loss_to_go[last + 1, number])
                if cost < least:
                    least, at = cost, last
            risk_to_go[first, number] = risks[first, at] + risk_to_go[at + 1, number]
            loss_to_go[first, number] = losses[first, at] + loss_to_go[at + 1, number]
    return risk_to_go, loss_to_go
