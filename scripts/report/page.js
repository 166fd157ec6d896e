"use strict";
// What the page does beyond being read: draws details when they are opened, shows chains, saves the
// JSON. Nothing is fetched.
(() => {
  const byId = (id) => document.getElementById(id);
  const read = (id) => JSON.parse(byId(id).textContent);

  // ---- details are packed by gzip, and drawn when they are opened

  function inflated(text) {
    const packed = new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]);
    return new Response(packed.stream().pipeThrough(new DecompressionStream("gzip")));
  }
  const unpacked = (id) => inflated(byId(id).textContent).text();

  let texts = {};

  function draw(drawer) {
    const inside = drawer.lastElementChild;
    if (texts[drawer.id] !== undefined && !inside.firstChild) {
      inside.innerHTML = texts[drawer.id];
    }
  }

  document.addEventListener("toggle", (event) => {
    if (event.target.open && event.target.tagName === "DETAILS") { draw(event.target); }
  }, true);

  function open(drawer) {
    draw(drawer);
    drawer.open = true;
  }

  // Those that a drawer lies in are found by looking for it in their texts.
  function find(id) {
    for (let round = 0; round < 4 && !byId(id); round++) {
      const parent = Object.keys(texts).find((key) => texts[key].includes(`<details id="${id}"`));
      if (!parent) { return null; }
      if (byId(parent)) { open(byId(parent)); } else if (!find(parent)) { return null; }
    }
    const found = byId(id);
    for (let node = found; node; node = node.parentElement) {
      if (node.tagName === "DETAILS") { open(node); }
    }
    return found;
  }

  function follow() {
    const found = location.hash.length > 1 && find(decodeURIComponent(location.hash.slice(1)));
    if (found) { found.scrollIntoView(); }
  }
  addEventListener("hashchange", follow);
  unpacked("details-data").then((text) => {
    texts = JSON.parse(text);
    document.querySelectorAll("details[open]").forEach(draw);
    document.documentElement.dataset.ready = "yes";
    follow();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (link && link.hash === location.hash) { follow(); }
  });

  // On paper a few are open; hundreds are not.
  let opened = [];
  addEventListener("beforeprint", () => {
    const closed = [...document.querySelectorAll("main details:not([open])")];
    opened = closed.length > 12 ? [] : closed;
    for (const drawer of opened) { open(drawer); }
  });
  addEventListener("afterprint", () => { for (const drawer of opened) { drawer.open = false; } });

  // ---- results.json as it was

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.(".save");
    if (!button) { return; }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([await unpacked(button.dataset.from)]));
    link.download = button.dataset.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });

  // ---- the viewer

  const { groups, floats } = read("viewer-data");
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
  const decoded = new Map();          // texels by the part of a picture
  let seen = null;                    // what was drawn last: for the values under the cursor
  let turn = 0;

  // {width, height, data}: RGBA of 8 bits, of a part [picture, x, y, width, height].
  async function texels(part) {
    if (!part) { return null; }
    const key = part.join();
    if (!decoded.has(key)) {
      const [id, x, y, width, height] = part;
      const image = new Image();
      image.src = byId(`p${id}`).getAttribute("href");
      await image.decode();
      const buffer = Object.assign(document.createElement("canvas"), { width, height });
      const context = buffer.getContext("2d", { willReadFrequently: true });
      context.drawImage(image, x, y, width, height, 0, 0, width, height);
      decoded.set(key, context.getImageData(0, 0, width, height));
    }
    return decoded.get(key);
  }

  // The same of floats: three times the mantissa of a shared exponent, as a .hdr has them, times 255.
  async function floatTexels(index, part) {
    const key = `f${index}`;
    if (!decoded.has(key)) {
      const bytes = new Uint8Array(await inflated(floats[index]).arrayBuffer());
      const data = new Float32Array(bytes.length).fill(255);
      for (let at = 0; at < bytes.length; at += 4) {
        const scale = bytes[at + 3] ? 255 * 2 ** (bytes[at + 3] - 136) : 0;
        for (let c = 0; c < 3; c++) { data[at + c] = bytes[at + c] * scale; }
      }
      decoded.set(key, { width: part[3], height: part[4], data, isFloat: true });
    }
    return decoded.get(key);
  }

  function load(name) {
    const chain = group().chains[number(name)];
    const place = (from) => from[pick.layer.value]?.[number("level")];
    const index = place(chain.floats);
    return index === null || index === undefined ? texels(partOf(name)) : floatTexels(index, partOf(name));
  }

  const partOf = (name) => group().chains[number(name)].layers[pick.layer.value]?.[number("level")];

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
    const [a, b] = await Promise.all([load("a"), load("b")]);
    if (mine !== turn || !(a || b)) { return; }
    canvas.width = stage.clientWidth;
    canvas.height = stage.clientHeight;
    const [width, height] = extent();
    const zoom = scale();
    const left = origin(width, canvas.width / zoom, centre.x);
    const top = origin(height, canvas.height / zoom, centre.y);
    const isDifference = pick.show.value === "diff" && a && b;
    const wipe = canvas.width * number("wipe") / 100;
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    for (let y = 0; y < canvas.height; y++) {
      const row = Math.floor(top + y / zoom);
      for (let x = 0; row >= 0 && row < height && x < canvas.width; x++) {
        const column = Math.floor(left + x / zoom);
        if (column >= 0 && column < width) {
          const from = (x < wipe || !b) && a ? a : b;
          shade(image.data, 4 * (y * canvas.width + x), isDifference ? a.data : from.data,
            4 * (row * width + column), isDifference ? b.data : null);
        }
      }
    }
    context.putImageData(image, 0, 0);
    if (!isDifference) {
      context.fillStyle = "#fff";
      context.fillRect(wipe - 1, 0, 2, canvas.height);
    }
    seen = { a, b, left, top, zoom, width, height };
    byId("v-level-text").textContent = `${number("level")}: ${width}×${height}`;
    byId("v-layer-text").textContent = pick.layer.value;
    pick.wipe.disabled = isDifference;
    byId("v-note").textContent = a?.isFloat || b?.isFloat
      ? "Floats of 8 bits of mantissa, as the .hdr files have them; 1 is shown white, gain changes that."
      : group().preview ? "A preview of 8 bits a channel: what is below 0 or above 1 is clamped in it."
        : "Texels as they are, the nearest one each. It opens on the level with the largest error.";
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
    d: () => { pick.show.selectedIndex ^= 1; update(); },
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
