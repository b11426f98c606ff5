(() => {
  "use strict";
  const format = (v) => v === null ? "not defined"
    : Math.abs(v) < 10 ? v.toFixed(3) : v.toLocaleString("en", { maximumSignificantDigits: 4 });
  const data = (element) => JSON.parse(element.querySelector('script[type="application/json"]').textContent);
  const nearest = (xs, x) => {
    let best = 0;
    for (let k = 1; k < xs.length; k++) if (Math.abs(xs[k] - x) < Math.abs(xs[best] - x)) best = k;
    return best;
  };

  // A link leads into what is folded.
  const reveal = () => {
    let element = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (; element; element = element.parentElement) if (element.tagName === "DETAILS") element.open = true;
  };
  addEventListener("hashchange", reveal);
  reveal();

  for (const figure of document.querySelectorAll("figure.chart")) {
    if (!figure.querySelector("script")) continue;
    const { x: xName, y: yName, axes, series } = data(figure);
    const [bottom, top] = axes.y;
    const svg = figure.querySelector("svg");
    const cursor = svg.querySelector(".cursor");
    const readout = figure.querySelector(".readout");
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const at = (event.clientX - box.left) * svg.viewBox.baseVal.width / box.width;
      const own = nearest(series[0].at, at);
      const place = series[0].at[own];
      for (const [key, value] of [["x1", place], ["x2", place], ["y1", top], ["y2", bottom]]) {
        cursor.setAttribute(key, value);
      }
      svg.classList.add("pointed");
      readout.textContent = `On the curve, at ${xName} ${series[0].x[own]}:`;
      for (const one of series) {
        const k = nearest(one.at, place);
        const name = one.name ? `${one.name}: ` : "";
        const ends = `${format(one.lower[k])} to ${format(one.upper[k])}`;
        readout.append(document.createElement("br"),
          `${name}${yName} ${one.value ? `${format(one.value[k])} (${ends})` : ends}`);
      }
    });
    svg.addEventListener("pointerleave", () => svg.classList.remove("pointed"));
  }

  for (const panel of document.querySelectorAll(".thresholds")) {
    const { thresholds, flagged, labeled, n_items: nItems, bands, counted, no_width: noWidth } = data(panel);
    const count = (n) => Math.round(n).toLocaleString("en");
    const said = (k) => `${count(flagged[k])} of ${count(nItems)} items ${flagged[k] === 1 ? "is" : "are"} `
      + `predicted positive (${(100 * flagged[k] / nItems).toFixed(1)}%), ${count(labeled[k])} of them labeled.`
      + Object.entries(counted).map(([name, texts]) => ` ${name}: ${texts[k]}.`).join("");
    const point = panel.closest(".look")?.querySelector(".point");
    // Recall and precision are the axes of the curve beside the slider.
    const move = (k) => {
      const { recall, precision } = bands;
      const { x: [x0, x1], y: [y0, y1] } = data(point.closest("figure")).axes;
      const at = (ends, low, high) => [ends.value[k], ends.lower[k], ends.upper[k]]
        .map((v) => (low + v * (high - low)).toFixed(1));
      const [x, left, right] = at(recall, x0, x1);
      const [y, bottom, top] = at(precision, y0, y1);
      point.querySelector("path").setAttribute("d", `M${left} ${y}H${right}M${x} ${bottom}V${top}`);
      point.querySelector("circle").setAttribute("cx", x);
      point.querySelector("circle").setAttribute("cy", y);
      point.classList.toggle("undefined", precision.value[k] === null || recall.value[k] === null);
    };
    const slider = panel.querySelector("input");
    const show = () => {
      const k = Number(slider.value);
      slider.setAttribute("aria-valuetext", `score ${thresholds[k]}`);
      panel.querySelector("output").textContent = thresholds[k];
      panel.querySelector(".flagged").textContent = said(k);
      for (const row of panel.querySelectorAll("tr[data-metric]")) {
        const { value, lower, upper, least, exact } = bands[row.dataset.metric];
        const cells = row.querySelectorAll("td");
        if (value) cells[0].textContent = format(value[k]);
        const ends = lower[k] === null ? "" : `${format(lower[k])} to ${format(upper[k])}`;
        cells[1].textContent = exact.includes(k) ? noWidth : ends;
        cells[2].textContent = least[k] === null ? "no label there" : format(least[k]);
      }
      if (point && bands.recall.value) move(k);
    };
    slider.addEventListener("input", show);
    // A browser may remember where the slider stood.
    show();
  }
})();
