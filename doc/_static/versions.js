/* The versions whose documentation stands side by side, newest first, each in a folder of its name.

A release adds its name, and copies this file over those of the versions before. It is a script and
no JSON, so that it works from a disk too. */
"use strict";

(() => {
  const versions = ["0.1.0"];

  for (const place of document.querySelectorAll(".versions:not([data-done])")) {
    place.dataset.done = "yes";
    const here = place.dataset.version;
    if (versions.every((version) => version === here)) continue;
    const select = document.createElement("select");
    select.setAttribute("aria-label", "Version of this documentation");
    for (const version of versions.includes(here) ? versions : [here, ...versions]) {
      select.append(new Option(version, version, version === here, version === here));
    }
    select.addEventListener("change", () => {
      location.href = `${place.dataset.root}../${select.value}/index.html`;
    });
    place.replaceChildren(select);
  }
})();
