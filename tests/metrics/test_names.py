"""Names of metrics that others use: accepted wherever a metric is named, in Python too."""

import pytest

from sklearn_spe import ActiveTestSelector, Goal
from sklearn_spe.goals._question import Question
from sklearn_spe.metrics._registry import ALIASES, METRICS, METRICS_OF_ROWS, as_metric, canonical
from sklearn_spe.posterior._registry import as_curve

IN_USE = {
    "auc": "roc_auc",
    "mcc": "matthews_corrcoef",
    "npv": "negative_predictive_value",
    "tpr": "recall",
    "sensitivity": "recall",
}


@pytest.mark.parametrize("alias", IN_USE)
def test_a_name_in_use_elsewhere_is_that_of_the_metric(alias):
    name = IN_USE[alias]
    assert canonical(alias) == canonical(alias.upper()) == name
    assert as_metric(alias) == as_metric(name)
    assert Question.of(alias).name == Question.of(name).name
    assert canonical(name) == name


def test_no_alias_is_the_name_of_another_metric():
    assert not {alias for alias, name in ALIASES.items() if alias in METRICS and alias != name}
    for alias, name in ALIASES.items():
        if name not in METRICS_OF_ROWS:
            assert Question.of(alias).metric == Question.of(name).metric


def test_goals_and_curves_take_them_and_say_what_is_meant():
    assert str(Goal.of(tpr=0.9)) == str(Goal.of(recall=0.9))
    assert as_curve("tpr") == as_curve("recall")
    with pytest.raises(ValueError, match="Did you mean 'precision'"):
        Goal.of(precsion=0.9)
    with pytest.raises(ValueError, match=r"'false_positive_rate' with recall=0\.95"):
        Question.of("fpr95")
    with pytest.raises(ValueError, match="Did you mean 'roc_auc'"):
        Question.of("acu")


def test_a_selector_takes_them():
    scores = [0.1, 0.4, 0.2, 0.8, 0.6, 0.9, 0.3, 0.7, 0.5, 0.0]
    labels = [0, 0, -1, 1, -1, 1, -1, -1, 0, -1]
    values = {
        ActiveTestSelector(name, n_draws=50, random_state=0).fit(scores, labels).estimate_.value
        for name in ("auc", "roc_auc")
    }
    assert len(values) == 1
