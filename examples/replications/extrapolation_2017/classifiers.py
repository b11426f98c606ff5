"""Classes with features, and classifiers that are trained on some of them.

The classes stand in for the paper's Telugu characters, which could not be had. The mean of a class
is normal; its points are normal around it with a covariance of its own, so that no classifier here
is quite the right one.
"""

import warnings

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

N_FEATURES = 12
N_TRAIN = N_TEST = 20
NOISE = 1.0
# The paper's eps: of all training points, so many are neighbours.
EPSILON = 0.002


def make_characters(n_classes, rng):
    """Return training and test points, and their classes, each with another covariance.

    Returns
    -------
    train, test : tuple of ndarray
        Features of shape (n_items, n_features), and labels.
    """
    means = rng.standard_normal((n_classes, N_FEATURES))
    mixing = rng.standard_normal((n_classes, N_FEATURES, N_FEATURES)) / np.sqrt(N_FEATURES)
    mixing += np.eye(N_FEATURES)

    def draw(n_items):
        labels = np.repeat(np.arange(n_classes), n_items)
        noise = rng.standard_normal((n_classes, n_items, N_FEATURES)) @ mixing
        points = np.repeat(means, n_items, axis=0) + NOISE / np.sqrt(2.0) * noise.reshape(
            -1, N_FEATURES
        )
        return points, labels

    return draw(N_TRAIN), draw(N_TEST)


def naive_bayes(X, y, test):
    """Return log p(x, y): the score of a class depends on its own items alone."""
    return GaussianNB().fit(X, y).predict_joint_log_proba(test)


def logistic(X, y, test):
    """Return the linear predictors of multinomial logistic regression."""
    return _scores(LogisticRegression(max_iter=300), X, y, test)


def linear_svm(X, y, test):
    """Return the margins of each class against the rest."""
    return _scores(LinearSVC(max_iter=3000, random_state=0), X, y, test)


def nearest_neighbours(X, y, test):
    """Return the share of each class among the nearest eps n points; most are 0, and tie."""
    model = KNeighborsClassifier(max(1, round(EPSILON * len(X))))
    return model.fit(X, y).predict_proba(test)


def nearest_neighbour(X, y, test):
    """Return minus the distance to the nearest training point of each class."""
    classes = np.unique(y)
    return -np.column_stack([cdist(test, X[y == c]).min(axis=1) for c in classes])


def network(X, y, test):
    """Return the log-probabilities of a small network."""
    model = MLPClassifier((64,), learning_rate_init=3e-3, max_iter=60, random_state=0)
    model = make_pipeline(StandardScaler(), model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y).predict_log_proba(test)


def _scores(model, X, y, test):
    return make_pipeline(StandardScaler(), model).fit(X, y).decision_function(test)


# Whether the score of a class depends on its own training points alone.
CLASSIFIERS = {
    "naive Bayes": (naive_bayes, True),
    "one neighbour, distances": (nearest_neighbour, True),
    "logistic": (logistic, False),
    "linear SVM": (linear_svm, False),
    "eps-neighbours": (nearest_neighbours, False),
    "network": (network, False),
}
