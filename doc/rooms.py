"""Draw the rooms of the package from its imports, and list what each does."""

import ast
import csv
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PACKAGE = Path(__file__).parents[1] / "sklearn_spe"
# The entry points, and what all others stand on, would only add arrows.
LEFT_OUT = {"__init__", "__main__", "_version", "exceptions", "inputs"}
# One color for data, for prior and update, for questions and checks, and for what users call.
COLORS = {
    "#dbe9f6": {"data", "histogram"},
    "#fdeccf": {"families", "mixtures", "inference", "experts", "engine", "models"},
    "#e3f1df": {"posterior", "metrics", "goals", "results", "design", "checks"},
    "#f6dfe3": {"estimators", "classifiers", "active", "datasets", "means"},
}
REST = "#eeeeee"


def room_of(path):
    """Return the room that a file of the package stands in."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


def imported_rooms(path):
    """Yield the rooms that a file imports."""
    package = ["sklearn_spe", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ImportFrom):
            continue
        base = package[: len(package) - node.level + 1] if node.level else []
        base += node.module.split(".") if node.module else []
        if base[:1] == ["sklearn_spe"]:
            yield from base[1:2] or [alias.name for alias in node.names]


def read_rooms():
    """Return, for each room, the rooms that it imports."""
    sees = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        own = room_of(path)
        sees.setdefault(own, set()).update(set(imported_rooms(path)) - {own})
    rooms = sees.keys() - LEFT_OUT
    return {room: sees[room] & rooms for room in sorted(rooms)}


def floors_of(sees):
    """Return rooms floor by floor, each on the lowest floor above all that it imports."""
    floors, left = [], dict(sees)
    while left:
        free = [room for room, others in left.items() if not others & left.keys()]
        floors.append(free)
        left = {room: others for room, others in left.items() if room not in free}
    return floors


def direct(sees):
    """Return the arrows that no longer path of arrows implies."""

    def reach(room):
        return sees[room].union(*map(reach, sees[room]))

    return {
        (room, other)
        for room, others in sees.items()
        for other in others
        if not any(other in reach(between) for between in others - {other})
    }


def places_of(floors, arrows):
    """Return the place of each room; those on a floor stand above what they import."""
    places = {}
    for height, rooms in enumerate(floors):
        wanted = {
            room: sum(below) / len(below)
            if (below := [places[b][0] for a, b in arrows if a == room])
            else 0.0
            for room in rooms
        }
        ordered = sorted(rooms, key=lambda room: (wanted[room], room))
        for i, room in enumerate(ordered):
            places[room] = (1.5 * (i - (len(ordered) - 1) / 2.0), float(height))
    return places


def draw(file):
    """Draw all rooms, floors upwards, arrows to what they import."""
    sees = read_rooms()
    arrows = direct(sees)
    places = places_of(floors_of(sees), arrows)
    color = {room: shade for shade, rooms in COLORS.items() for room in rooms}
    figure, axes = plt.subplots(figsize=(8.0, 8.5))
    for room, other in sorted(arrows):
        axes.annotate(
            "",
            xy=(places[other][0], places[other][1] + 0.22),
            xytext=(places[room][0], places[room][1] - 0.22),
            arrowprops={"arrowstyle": "->", "color": "#8a8a8a", "linewidth": 0.9},
        )
    for room, (x, y) in places.items():
        axes.text(
            *(x, y, room),
            ha="center",
            va="center",
            fontsize=9,
            bbox={
                "boxstyle": "round,pad=0.45",
                "facecolor": color.get(room, REST),
                "edgecolor": "#666666",
            },
        )
    reach = max(abs(x) for x, _ in places.values()) + 0.8
    axes.set(xlim=(-reach, reach), ylim=(-0.5, max(y for _, y in places.values()) + 0.5))
    axes.set_axis_off()
    figure.savefig(file, bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)


def describe(file):
    """Write the first line of each room's docstring, lowest rooms first."""
    with file.open("w", newline="") as table:
        writer = csv.writer(table)
        writer.writerow(["room", "what it is"])
        for room in ["inputs", *(room for floor in floors_of(read_rooms()) for room in floor)]:
            text = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text()))
            writer.writerow([f"``{room}``", text.partition("\n")[0]])
