"""The modes of the benchmark: each is a module with `add_options` and `main`."""

from . import alike, classes, clusters, subgroups, systems, table

MODES = {
    "systems": systems,
    "subgroups": subgroups,
    "clusters": clusters,
    "alike": alike,
    "classes": classes,
    "table": table,
}
