"use strict";
// What the page does beyond being read: sorts tables, switches the theme, shows chains, saves the
// JSON. Nothing is fetched.
(() => {
  const byId = (id) => document.getElementById(id);
  const say = (text) => { byId("said").textContent = text; };

  // ---- tables

  const direction = (head) => head.getAttribute("aria-sort") === "ascending" ? -1 : 1;

  // Rows without a value stay last in both directions.
  function compare(a, b, numeric, sign) {
    if (a === "" || b === "") { return (a === "") - (b === ""); }
    return sign * (numeric ? Number(a) - Number(b) : a.localeCompare(b, "en", { numeric: true }));
  }

  function sortBy(head) {
    const table = head.closest("table");
    const column = head.cellIndex;
    const sign = direction(head);
    const numeric = head.classList.contains("num");
    const key = (row) => row.cells[column].dataset.v;
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((a, b) => compare(key(a), key(b), numeric, sign));
    for (const other of head.parentElement.cells) { other.setAttribute("aria-sort", "none"); }
    head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
    body.append(...rows);
    say(`sorted by ${head.textContent.trim()}, ${sign > 0 ? "ascending" : "descending"}`);
  }

  for (const button of document.querySelectorAll(".sortable thead button")) {
    button.addEventListener("click", () => sortBy(button.closest("th")));
  }

  // ---- theme

  const THEMES = ["", "light", "dark"];
  const THEME_NAMES = { "": "as the system", light: "light", dark: "dark" };

  function stored(value) {
    try {  // a page from a file may have no storage
      if (value !== undefined) { localStorage.setItem("mipbench-theme", value); }
      return localStorage.getItem("mipbench-theme") || "";
    } catch (error) {
      return "";
    }
  }

  function setTheme(theme) {
    if (theme) {
      document.documentElement.dataset.theme = theme;
    } else {
      delete document.documentElement.dataset.theme;
    }
    byId("theme").textContent = `Theme: ${THEME_NAMES[theme]}`;
  }

  let theme = THEMES.includes(stored()) ? stored() : "";
  byId("theme").hidden = false;
  byId("theme").addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    stored(theme);
    setTheme(theme);
  });
  setTheme(theme);

  // ---- on paper everything is open

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const item of opened) { item.open = true; }
  });
  addEventListener("afterprint", () => { for (const item of opened) { item.open = false; } });

  // ---- results.json as it was

  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // They are packed by gzip, and saved so where the browser cannot unpack them.
  async function saveJson(button) {
    const text = atob(byId(button.dataset.from).textContent);
    const packed = new Blob([Uint8Array.from(text, (c) => c.charCodeAt(0))]);
    if (!("DecompressionStream" in window)) {
      save(packed, `${button.dataset.name}.gz`);
      return;
    }
    const stream = packed.stream().pipeThrough(new DecompressionStream("gzip"));
    const parts = await new Response(stream).arrayBuffer();
    save(new Blob([parts], { type: "application/json" }), button.dataset.name);
  }

  document.querySelector(".saves").hidden = false;
  for (const button of document.querySelectorAll(".save")) {
    button.addEventListener("click", () => saveJson(button));
  }

  // ---- the viewer

  const groups = JSON.parse(byId("viewer-data").textContent);
  if (groups.length === 0) { return; }
  const SVG = "http://www.w3.org/2000/svg";
  const stage = byId("v-stage");
  const pick = { group: byId("v-group"), layer: byId("v-layer"), a: byId("v-a"), b: byId("v-b"),
    zoom: byId("v-zoom"), level: byId("v-level"), wipe: byId("v-wipe"), diff: byId("v-diff") };
  const centre = { x: 0.5, y: 0.5 };  // of the level, what is in the middle of the stage

  const group = () => groups[Number(pick.group.value)];
  const level = () => Number(pick.level.value);

  function fillSelect(select, labels, values, chosen) {
    select.replaceChildren(...labels.map((label, i) => new Option(label, String(values[i]))));
    select.value = String(chosen);
  }

  function chooseGroup() {
    const { chains, levels } = group();
    const labels = chains.map((chain) => chain.label);
    const numbers = labels.map((_, i) => i);
    const layers = [...new Set(chains.flatMap((chain) => Object.keys(chain.layers)))];
    fillSelect(pick.layer, layers, layers, layers[0]);
    byId("v-layer-label").hidden = layers.length < 2;
    const b = Math.max(chains.findIndex((chain) => !chain.golden), 0);
    fillSelect(pick.a, labels, numbers, Math.max(labels.indexOf(chains[b].heldTo), 0));
    fillSelect(pick.b, labels, numbers, b);
    pick.level.max = String(levels - 1);
    pick.level.value = String(Math.min(level(), levels - 1));
    draw();
  }

  function extent() {
    const { width, height } = group();
    return [Math.max(1, width >> level()), Math.max(1, height >> level())];
  }

  // Stage pixels per texel.
  function scale() {
    const [width, height] = extent();
    const fit = Math.min(stage.clientWidth / width, stage.clientHeight / height);
    return Number(pick.zoom.value) || fit;
  }

  // Left and top of what is seen, in texels; what is smaller than the stage is in its middle.
  function origin(size, seen, middle) {
    return seen >= size ? (size - seen) / 2
      : Math.min(Math.max(middle * size - seen / 2, 0), size - seen);
  }

  function place(svg, chain, box, width, height) {
    svg.setAttribute("viewBox", box.join(" "));
    svg.setAttribute("aria-label", `${chain.label}, level ${level()}`);
    const part = chain.layers[pick.layer.value]?.[level()];
    svg.replaceChildren();
    if (!part) { return; }
    const frame = document.createElementNS(SVG, "svg");  // clips the level out of its atlas
    const use = document.createElementNS(SVG, "use");
    const [number, ...rectangle] = part;
    frame.setAttribute("width", width);
    frame.setAttribute("height", height);
    frame.setAttribute("viewBox", rectangle.join(" "));
    use.setAttribute("href", `#p${number}`);
    frame.append(use);
    svg.append(frame);
  }

  // What is transparent shows squares, and what is beside the level does not.
  function placeBack(box, width, height) {
    const style = byId("v-back").style;
    style.left = `${-box[0] * scale()}px`;
    style.top = `${-box[1] * scale()}px`;
    style.width = `${width * scale()}px`;
    style.height = `${height * scale()}px`;
  }

  function draw() {
    const [width, height] = extent();
    const seen = [stage.clientWidth / scale(), stage.clientHeight / scale()];
    const box = [origin(width, seen[0], centre.x), origin(height, seen[1], centre.y), ...seen];
    const a = group().chains[Number(pick.a.value)];
    const b = group().chains[Number(pick.b.value)];
    const wipe = Number(pick.wipe.value);
    const difference = pick.diff.checked;
    place(byId("v-under"), a, box, width, height);
    place(byId("v-over"), b, box, width, height);
    placeBack(box, width, height);
    byId("v-under").style.clipPath = difference ? "none" : `inset(0 ${100 - wipe}% 0 0)`;
    byId("v-over").style.clipPath = difference ? "none" : `inset(0 0 0 ${wipe}%)`;
    pick.wipe.disabled = difference;  // both chains are seen whole
    byId("v-line").style.left = `${wipe}%`;
    stage.classList.toggle("diff", difference);
    stage.classList.toggle("zoomed", pick.zoom.value !== "0");
    byId("v-name-a").textContent = `A: ${a.label}`;
    byId("v-name-b").textContent = `B: ${b.label}`;
    byId("v-level-text").textContent = `level ${level()}: ${width}×${height}`;
    byId("v-wipe-text").textContent = `${wipe} % A, ${100 - wipe} % B`;
    pick.level.setAttribute("aria-valuetext", byId("v-level-text").textContent);
    pick.wipe.setAttribute("aria-valuetext", byId("v-wipe-text").textContent);
  }

  // By stage pixels.
  function move(dx, dy) {
    const [width, height] = extent();
    const halfX = stage.clientWidth / scale() / width / 2;
    const halfY = stage.clientHeight / scale() / height / 2;
    const keep = (value, half) => half >= 0.5 ? 0.5 : Math.min(Math.max(value, half), 1 - half);
    centre.x = keep(centre.x + dx / scale() / width, halfX);
    centre.y = keep(centre.y + dy / scale() / height, halfY);
    draw();
  }

  function stepZoom(by) {
    const index = pick.zoom.selectedIndex + by;
    pick.zoom.selectedIndex = Math.min(Math.max(index, 0), pick.zoom.options.length - 1);
    draw();
  }

  function stepLevel(by) {
    pick.level.value = String(level() + by);
    draw();
  }

  const KEYS = {
    ArrowLeft: () => move(-40, 0), ArrowRight: () => move(40, 0),
    ArrowUp: () => move(0, -40), ArrowDown: () => move(0, 40),
    "+": () => stepZoom(1), "-": () => stepZoom(-1),
    PageUp: () => stepLevel(-1), PageDown: () => stepLevel(1),
  };

  stage.addEventListener("keydown", (event) => {
    const action = KEYS[event.key];
    if (action && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      action();
    }
  });
  stage.addEventListener("pointerdown", (event) => stage.setPointerCapture(event.pointerId));
  stage.addEventListener("pointermove", (event) => {
    if (event.buttons & 1) { move(-event.movementX, -event.movementY); }
  });

  pick.group.addEventListener("change", chooseGroup);
  for (const name of ["layer", "a", "b", "zoom", "diff"]) {
    pick[name].addEventListener("change", draw);
  }
  pick.level.addEventListener("input", draw);
  pick.wipe.addEventListener("input", draw);
  addEventListener("resize", draw);

  byId("viewer").hidden = false;
  fillSelect(pick.group, groups.map((item) => `${item.title} (${item.owner})`),
    groups.map((_, i) => i), 0);
  chooseGroup();
})();
