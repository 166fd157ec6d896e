"use strict";
// What the page does beyond being read: sifts the table, shows chains, saves the JSON. Nothing is
// fetched.
(() => {
  const byId = (id) => document.getElementById(id);
  const read = (id) => JSON.parse(byId(id).textContent);

  function inflated(text) {
    const packed = new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]);
    return new Response(packed.stream().pipeThrough(new DecompressionStream("gzip")));
  }

  // ---- of the tests of the table those that are asked for; a link to one shows it in any case

  const filters = document.querySelector(".filters");
  const pickers = [...document.querySelectorAll(".filters select")];

  function sift() {
    for (const test of document.querySelectorAll(".runs tbody")) {
      test.hidden = pickers.some((it) => it.value && test.dataset[it.dataset.of] !== it.value);
    }
  }

  function follow() {
    const found = byId(decodeURIComponent(location.hash.slice(1)));
    if (found?.tagName !== "TBODY") { return; }
    if (found.hidden) {
      for (const picker of pickers) { picker.value = ""; }
      sift();
    }
    found.scrollIntoView();
  }

  if (filters) {
    filters.hidden = false;
    filters.addEventListener("input", sift);
    const condition = byId("f-condition");
    if (condition) { condition.selectedIndex = 1; }
    sift();
  }
  addEventListener("hashchange", follow);
  follow();
  document.documentElement.dataset.ready = "yes";

  // ---- results.json as it was

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.(".save");
    if (!button) { return; }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([await inflated(byId(button.dataset.from).textContent).text()]));
    link.download = button.dataset.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });

  // ---- the viewer

  const { groups, levels: stored } = read("viewer-data");
  if (groups.length === 0) { return; }
  const stage = byId("stage");
  const canvas = stage.firstElementChild;
  const pick = {};
  for (const name of ["group", "layer", "a", "b", "level", "wipe", "show", "gain", "channel", "zoom"]) {
    pick[name] = byId(`v-${name}`);
  }
  const number = (name) => Number(pick[name].value);
  const group = () => groups[number("group")];
  const centre = { x: 0.5, y: 0.5 };  // of the level, what is in the middle of the stage
  const decoded = new Map();          // texels by the number of a level
  let seen = null;                    // what was drawn last: for the values under the cursor
  let turn = 0;

  // {width, height, data}: RGBA of 8 bits, or floats of a shared exponent, as a .hdr has them, times 255.
  async function texels(index, isFloat) {
    if (index === null || index === undefined) { return null; }
    if (!decoded.has(index)) {
      const [width, height] = extent();
      const bytes = new Uint8Array(await inflated(stored[index]).arrayBuffer());
      for (let at = 0; at < bytes.length; at++) {
        if (at % (4 * width) >= 4) { bytes[at] += bytes[at - 4]; }
      }
      decoded.set(index, { width, height, data: isFloat ? floatsOf(bytes) : bytes, isFloat });
    }
    return decoded.get(index);
  }

  function floatsOf(bytes) {
    const data = new Float32Array(bytes.length).fill(255);
    for (let at = 0; at < bytes.length; at += 4) {
      const scale = bytes[at + 3] ? 255 * 2 ** (bytes[at + 3] - 136) : 0;
      for (let c = 0; c < 3; c++) { data[at + c] = bytes[at + c] * scale; }
    }
    return data;
  }

  // A level of what is chosen as A or B, or of another chain; the first is the exact reference.
  function load(name, which = number(name)) {
    const chain = group().chains[which];
    const place = (from) => from[pick.layer.value]?.[number("level")];
    return texels(place(chain.floats) ?? place(chain.layers), (place(chain.floats) ?? null) !== null);
  }

  function fill(select, labels, chosen) {
    select.replaceChildren(...labels.map((label, i) => new Option(label, String(i))));
    select.value = String(chosen);
  }

  function choose() {
    const { chains, levels, a, b, level } = group();
    const layers = Math.max(...chains.flatMap((chain) => Object.keys(chain.layers).map(Number)));
    fill(pick.a, chains.map((chain) => chain.label), a);
    fill(pick.b, chains.map((chain) => chain.label), b);
    pick.layer.max = String(layers);
    pick.layer.value = "0";
    byId("v-layer-label").hidden = layers === 0;
    pick.level.max = String(levels - 1);
    pick.level.value = String(level);
    update();
  }

  function extent() {
    const { width, height } = group();
    return [Math.max(1, width >> number("level")), Math.max(1, height >> number("level"))];
  }

  function scale() {
    const [width, height] = extent();
    return number("zoom") || Math.min(canvas.width / width, canvas.height / height);
  }

  // The first texel that is seen; what is smaller than the stage is in its middle.
  function origin(size, shown, middle) {
    return shown >= size ? (size - shown) / 2
      : Math.min(Math.max(middle * size - shown / 2, 0), size - shown);
  }

  // ---- errors: the largest channel against the reference, in one hue

  const NONE = [245, 246, 248];
  const MOST = [150, 20, 40];

  function errorAt(from, exact, at) {
    const channel = number("channel");
    if (channel >= 0) { return Math.abs(from[at + channel] - exact[at + channel]); }
    return Math.max(...[0, 1, 2, 3].map((c) => Math.abs(from[at + c] - exact[at + c])));
  }

  function largestError(from, exact) {
    let most = 0;
    for (let at = 0; at < from.data.length; at += 4) { most = Math.max(most, errorAt(from.data, exact.data, at)); }
    return most;
  }

  function heat(out, to, share) {
    for (let c = 0; c < 3; c++) { out[to + c] = NONE[c] + (MOST[c] - NONE[c]) * Math.min(share, 1); }
    out[to + 3] = 255;
  }

  // From white at 0 to the darkest at the largest error of the level, or a part of that by the gain.
  function showScale(most, isFloat) {
    const [, , end] = byId("v-scale").children;
    byId("v-scale").hidden = most === null;
    byId("v-scale").firstElementChild.textContent = "0";
    end.textContent = most === null ? "" : isFloat ? (most / 255).toPrecision(3) : `${+most.toPrecision(3)} of 255`;
  }

  // The colour of a texel as it is shown, and its place in `data`.
  function shade(out, to, from, at, other) {
    const gain = number("gain");
    const channel = number("channel");
    for (let c = 0; c < 3; c++) {
      const index = at + (channel < 0 ? c : channel);
      const value = other ? Math.abs(from[index] - other[index]) : from[index];
      out[to + c] = value * gain;
    }
    out[to + 3] = 255;
  }

  async function update() {
    const mine = ++turn;
    const [a, b, exact] = await Promise.all([load("a"), load("b"), load("a", 0)]);
    if (mine !== turn || !(a || b)) { return; }
    canvas.width = stage.clientWidth;
    canvas.height = stage.clientHeight;
    const [width, height] = extent();
    const zoom = scale();
    const left = origin(width, canvas.width / zoom, centre.x);
    const top = origin(height, canvas.height / zoom, centre.y);
    const isDifference = pick.show.value === "diff" && a && b;
    const most = pick.show.value === "error" && b && exact ? largestError(b, exact) / number("gain") : null;
    const wipe = canvas.width * number("wipe") / 100;
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    for (let y = 0; y < canvas.height; y++) {
      const row = Math.floor(top + y / zoom);
      for (let x = 0; row >= 0 && row < height && x < canvas.width; x++) {
        const column = Math.floor(left + x / zoom);
        if (column >= 0 && column < width) {
          const from = (x < wipe || !b) && a ? a : b;
          const at = 4 * (row * width + column);
          if (most !== null) {
            heat(image.data, 4 * (y * canvas.width + x), most && errorAt(b.data, exact.data, at) / most);
            continue;
          }
          shade(image.data, 4 * (y * canvas.width + x), isDifference ? a.data : from.data,
            at, isDifference ? b.data : null);
        }
      }
    }
    context.putImageData(image, 0, 0);
    showScale(most, b?.isFloat);
    if (!isDifference && most === null) {
      context.fillStyle = "#fff";
      context.fillRect(wipe - 1, 0, 2, canvas.height);
    }
    seen = { a, b, left, top, zoom, width, height };
    byId("v-level-text").textContent = `${number("level")}: ${width}x${height}`;
    byId("v-layer-text").textContent = pick.layer.value;
    pick.wipe.disabled = isDifference || most !== null;
    byId("v-note").textContent = a?.isFloat || b?.isFloat
      ? "Floats of 8 bits of mantissa, as the .hdr files have them; 1 is shown white, gain changes that."
      : group().preview ? "A preview of 8 bits a channel: what is below 0 or above 1 is clamped in it."
        : "Texels as they are, the nearest one each.";
  }

  function tuple(image, at) {
    const values = image ? [...image.data.slice(at, at + (image.isFloat ? 3 : 4))] : [];
    const show = (v) => image.isFloat ? (v / 255).toPrecision(4) : String(v).padStart(3);
    return values.map(show).join(" ") || "–";
  }

  function tell(event) {
    if (!seen) { return; }
    const box = canvas.getBoundingClientRect();
    const x = Math.floor(seen.left + (event.clientX - box.left) / seen.zoom);
    const y = Math.floor(seen.top + (event.clientY - box.top) / seen.zoom);
    if (x < 0 || y < 0 || x >= seen.width || y >= seen.height) { return; }
    const at = 4 * (y * seen.width + x);
    byId("v-values").textContent = `(${x}, ${y})  A ${tuple(seen.a, at)}\n`
      + `${" ".repeat(`(${x}, ${y})`.length)}  B ${tuple(seen.b, at)}`;
  }

  // By stage pixels.
  function move(dx, dy) {
    const [width, height] = extent();
    const keep = (value) => Math.min(Math.max(value, 0), 1);
    centre.x = keep(centre.x + dx / scale() / width);
    centre.y = keep(centre.y + dy / scale() / height);
    update();
  }

  function step(name, by) {
    const control = pick[name];
    if (control.options) {
      control.selectedIndex = Math.min(Math.max(control.selectedIndex + by, 0), control.options.length - 1);
    } else {
      control.value = String(number(name) + by);
    }
    update();
  }

  const KEYS = {
    ArrowLeft: () => move(-40, 0), ArrowRight: () => move(40, 0),
    ArrowUp: () => move(0, -40), ArrowDown: () => move(0, 40),
    "+": () => step("zoom", 1), "-": () => step("zoom", -1),
    PageUp: () => step("level", -1), PageDown: () => step("level", 1),
    w: () => step("wipe", 5), W: () => step("wipe", -5),
    d: () => { pick.show.selectedIndex = (pick.show.selectedIndex + 1) % 3; update(); },
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
    tell(event);
  });
  for (const name of ["layer", "a", "b", "level", "wipe", "show", "gain", "channel", "zoom"]) {
    pick[name].addEventListener("input", update);
  }
  pick.group.addEventListener("input", choose);
  addEventListener("resize", update);

  byId("viewer").hidden = false;
  fill(pick.group, groups.map((item) => item.title), 0);
  choose();
})();
