"""Methods under comparison: functions ``method(scores, y, seed) -> Answer``.

`scores` has shape (n,); `y` holds 0, 1 or -1 for unlabelled. An addition is one function and one
entry in `METHODS`.
"""

from .labels_only import labels_only
from .logistic import logistic
from .mixture import default, spe_2013
from .ssme_kde import ssme_kde
from .ssroc_kernel import ssroc_kernel
from .two_normal_em import two_normal_em

METHODS = {
    "labels_only": labels_only,
    "logistic": logistic,
    "two_normal_em": two_normal_em,
    "ssme_kde": ssme_kde,
    "ssroc_kernel": ssroc_kernel,
    "spe_2013": spe_2013,
    "default": default,
}

# Published code that cannot be installed from a package index, and what stands in for it.
NOT_INSTALLABLE = {
    "ssme": "SSME is a repository of scripts (divyashan/SSME), no package, and gives no intervals; "
    "'ssme_kde' is an implementation of its method written for this benchmark",
    "ssroc": "ssROC is an R package that is not on CRAN (jlgrons/ssROC) and needs R; "
    "'ssroc_kernel' is an implementation of its method written for this benchmark",
}
