"use strict";
// Tabs: headings become a list of tabs; without this script all panels are shown one after the other.
for (const box of document.querySelectorAll(".tabs")) {
  const panels = [...box.querySelectorAll(".panel")];
  const list = document.createElement("div");
  list.className = "tab-list";
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", box.dataset.label);
  const tabs = panels.map((panel) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = panel.id + "-tab";
    tab.textContent = panel.querySelector("h3").textContent;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panel.id);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    list.append(tab);
    return tab;
  });
  const show = (chosen) => tabs.forEach((tab, k) => {
    tab.setAttribute("aria-selected", k === chosen);
    tab.tabIndex = k === chosen ? 0 : -1;
    panels[k].hidden = k !== chosen;
  });
  tabs.forEach((tab, k) => {
    tab.addEventListener("click", () => show(k));
    tab.addEventListener("keydown", (event) => {
      const places = { ArrowRight: (k + 1) % tabs.length, ArrowLeft: (k + tabs.length - 1) % tabs.length, Home: 0, End: tabs.length - 1 };
      if (event.key in places) {
        event.preventDefault();
        show(places[event.key]);
        tabs[places[event.key]].focus();
      }
    });
  });
  box.prepend(list);
  show(0);
}
// Tooltips: what a dot says, by mouse, touch and keyboard; without this script the browser shows the titles of dots.
const tip = document.createElement("div");
tip.className = "tip";
tip.hidden = true;
tip.setAttribute("aria-hidden", "true");
document.body.append(tip);
let pointed = null; // the dot whose tooltip is shown
const placeTip = (dot) => {
  const at = dot.getBoundingClientRect();
  const box = tip.getBoundingClientRect();
  const left = Math.min(Math.max(4, at.left + at.width / 2 - box.width / 2), innerWidth - box.width - 4);
  const above = at.top - box.height - 8;
  tip.style.left = left + "px";
  tip.style.top = (above > 0 ? above : at.bottom + 8) + "px";
};
const showTip = (dot) => {
  pointed = dot;
  tip.textContent = dot.getAttribute("aria-label");
  tip.hidden = false;
  placeTip(dot);
};
const hideTip = () => {
  pointed = null;
  tip.hidden = true;
};
for (const dot of document.querySelectorAll(".dot")) {
  dot.querySelector("title").remove();
  dot.addEventListener("mouseenter", () => showTip(dot));
  dot.addEventListener("mouseleave", hideTip);
  dot.addEventListener("focus", () => showTip(dot));
  dot.addEventListener("blur", hideTip);
}
addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
addEventListener("scroll", () => { if (pointed) placeTip(pointed); }, { passive: true });
