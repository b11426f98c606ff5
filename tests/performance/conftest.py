"""What the tests of performance share."""

import pytest

from tests.performance.data import KINDS, PARTIAL, SCORES, make_performance


@pytest.fixture(scope="module", params=KINDS.values(), ids=KINDS)
def fitted(request):
    return make_performance(experts=request.param).fit(SCORES, PARTIAL)
