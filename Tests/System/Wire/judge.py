# SPDX-License-Identifier: Apache-2.0
"""Whether rows of two kinds can be told apart: a model trained on half, its share of right answers on the other half, and what differs singly."""
import dataclasses
import math
import os

# Threads that wait for each other are slow where others work, too. Before the libraries look.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy  # noqa: E402
from scipy import stats  # noqa: E402
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

WHO = ("day", "is_with", "slot", "use")
SEED = 7


def wilson(right, count, z=1.959964):
    """95 % interval of a share."""
    share = right / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return middle - half, middle + half


@dataclasses.dataclass
class Verdict:
    """The model that did best within the training half, on the other half; and the others, for comparison."""
    model: str
    right: int
    count: int
    others: dict
    important: list

    @property
    def low(self):
        return wilson(self.right, self.count)[0]

    @property
    def high(self):
        return wilson(self.right, self.count)[1]

    @property
    def includes_chance(self):
        return self.low <= 0.5 <= self.high

    def is_found(self, z=1.959964):
        """Whether more answers are right than guessing explains."""
        return wilson(self.right, self.count, z)[0] > 0.5

    @property
    def short(self):
        return f"{self.right}/{self.count} right, {100 * self.right / self.count:.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f})"

    def __str__(self):
        others = ", ".join(f"{name} {100 * share:.1f} %" for name, share in self.others.items())
        return f"{self.model}: {self.short}; {others}; it looked at {', '.join(self.important) or 'nothing that helped'}"


def models(count):
    return {
        "forest": RandomForestClassifier(200, min_samples_leaf=2, random_state=SEED),
        "boosting": HistGradientBoostingClassifier(max_iter=80, learning_rate=0.08, random_state=SEED),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(C=0.05, max_iter=2_000)),
    }


def judged(values, kinds, names, groups=None):
    """Trains on half. `groups`: rows of one group stay on one side."""
    values, kinds = numpy.asarray(values, dtype=float), numpy.asarray(kinds)
    moving = values.std(axis=0) > 0
    values, names = values[:, moving], [name for name, moves in zip(names, moving) if moves]
    groups = numpy.arange(len(kinds)) if groups is None else numpy.asarray(groups)
    known = numpy.unique(groups)
    strata = [kinds[groups == group].max() for group in known] if len(known) == len(kinds) else None
    first, _ = train_test_split(known, test_size=0.5, random_state=SEED, stratify=strata)
    train = numpy.isin(groups, first)
    test = ~train
    folds = StratifiedKFold(3, shuffle=True, random_state=SEED)
    candidates = models(len(kinds))
    inner = {name: cross_val_score(model, values[train], kinds[train], cv=folds).mean() for name, model in candidates.items()}
    best = max(inner, key=inner.get)
    shares = {}
    for name, model in candidates.items():
        model.fit(values[train], kinds[train])
        shares[name] = float((model.predict(values[test]) == kinds[test]).mean())
    right = round(shares[best] * int(test.sum()))
    # By what it told them apart, if it did.
    important = []
    low, _ = wilson(right, int(test.sum()))
    if low > 0.5:
        some = numpy.flatnonzero(test)[:600]
        by_model = candidates[best]
        order = by_model.feature_importances_.argsort()[::-1][:30] if hasattr(by_model, "feature_importances_") else numpy.arange(len(names))[:200]
        drops = []
        base = (by_model.predict(values[some]) == kinds[some]).mean()
        generator = numpy.random.default_rng(SEED)
        for column in order:
            mixed = values[some].copy()
            mixed[:, column] = generator.permutation(mixed[:, column])
            drops.append((base - (by_model.predict(mixed) == kinds[some]).mean(), names[column]))
        important = [f"{name} (−{100 * drop:.1f})" for drop, name in sorted(drops, reverse=True)[:5] if drop > 0]
        if not important:
            important = [f"{names[column]}" for column in order[:5]]
    return Verdict(best, right, int(test.sum()), {name: share for name, share in shares.items() if name != best}, important)


def columns(rows):
    return [name for name in rows[0] if name not in WHO]


def days(rows):
    """Days with a test against days without."""
    names = columns(rows)
    return judged([[row[name] for name in names] for row in rows], [row["is_with"] for row in rows], names)


@dataclasses.dataclass
class Late:
    """How many slots were left out on days with a test and on days without, and the chance (Fisher) that it has nothing to do with that."""
    with_test: tuple
    without: tuple
    p: float

    def __str__(self):
        return (f"{self.with_test[0]} of {self.with_test[1]} slots left out on days with a test, {self.without[0]} of {self.without[1]} on days "
                f"without, p {self.p:.2g}")


def late(rows, good):
    def count(table, kind):
        return sum(1 for row in table if row["is_with"] == kind)
    pairs = [(count(rows, kind) - count(good, kind), count(rows, kind)) for kind in (1, 0)]
    return Late(*pairs, stats.fisher_exact([[left, every - left] for left, every in pairs]).pvalue)


def used_and_not(rows):
    """Slots with something genuine in them, and as many of the same places in their days, of days without a test: early and late slots are
    played at other loads of the machine."""
    used, unused = [], []
    generator = numpy.random.default_rng(SEED)
    for place in sorted({row["slot"] for row in rows}):
        here = [row for row in rows if row["slot"] == place and row["use"] != "nothing"]
        others = [row for row in rows if row["slot"] == place and not row["is_with"]]
        generator.shuffle(others)
        count = min(len(here), len(others))
        used += here[:count]
        unused += others[:count]
    return used, unused


def slots(rows):
    """Slots that are used against slots that are not: what somebody could learn from devices of their own. Much the sharper question."""
    used, unused = used_and_not(rows)
    # Not when in the day: used slots are later than the test was entered, and that is nothing to see on one device.
    names = [name for name in columns(rows) if name != "second"]
    both = used + unused
    return judged([[row[name] for name in names] for row in both], [1] * len(used) + [0] * len(unused), names, [row["day"] for row in both])


def tested(first, second, names):
    """Kolmogorov-Smirnov of each number, and Holm's correction for having asked so often: (corrected p, distance, name), the least first."""
    found = []
    for name in names:
        one, other = [row[name] for row in first], [row[name] for row in second]
        if len(set(one) | set(other)) < 2:
            continue
        outcome = stats.ks_2samp(one, other, method="asymp")
        found.append((outcome.pvalue, outcome.statistic, name))
    found.sort()
    corrected, least = [], 0.0
    for rank, (p, distance, name) in enumerate(found):
        least = max(least, min(1.0, p * (len(found) - rank)))
        corrected.append((least, distance, name))
    return corrected


def told(kind, corrected):
    sure = [entry for entry in corrected if entry[0] < 0.05]
    lines = [f"     {kind}: {len(sure)} of {len(corrected)} numbers that are not constant differ (Kolmogorov-Smirnov, Holm, 5 %)"]
    for p, distance, name in sure[:8] or corrected[:3]:
        lines.append(f"       {name}: distance {distance:.3f}, corrected p {p:.2g}")
    return lines


def differences(table, rows):
    """What still differs, taken singly."""
    lines = told("days", tested([row for row in table if row["is_with"]], [row for row in table if not row["is_with"]], columns(table)))
    used, unused = used_and_not(rows)
    lines += told("slots", tested(used, unused, [name for name in columns(rows) if name != "second"]))
    return "\n".join(lines)
