// Draws a plan inside an MCP client and follows it (MCP Apps, revision 2026-01-26). It speaks with the client only, by
// messages, and loads nothing. Texts of plans are set as text, never as markup.
"use strict";

const REVISION = "2026-01-26";
/** Seconds that one call waits for events, and the number of calls without an event after which following ends. */
const WAIT_S = 20;
const WAITS_MAX = 30;
/** Steps that the picture shows; a person overlooks no more. */
const STEPS_MAX = 200;
/** Size of a step and the space between two, in CSS pixels. */
const BOX = { width: 190, height: 46, gapX: 46, gapY: 14 };
/** Characters of a step's label. */
const LABEL_LENGTH_MAX = 24;
const SIGNS = new Map([
  ["pending", "○"],
  ["running", "◐"],
  ["completed", "✓"],
  ["failed", "✗"],
  ["skipped", "–"],
  ["cancelled", "–"],
]);

const host = window.parent;
const pending = new Map();
let lastId = 0;
let canCallTools = false;
/** The plan that is followed; a newer one ends the following of the one before. */
let followed = "";

addEventListener("message", ({ source, data }) => {
  if (source !== host || data === null || typeof data !== "object") return;
  const { id, method, params = {} } = data;
  if (method === undefined) settle(data);
  else if (id === undefined) NOTIFICATIONS.get(method)?.(params);
  else send({ id, ...(REQUESTS.has(method) ? { result: {} } : { error: unknownMethod(method) }) });
});

const REQUESTS = new Set(["ping", "ui/resource-teardown"]);
const NOTIFICATIONS = new Map([
  ["ui/notifications/tool-input", ({ arguments: input }) => drawSubmitted(input ?? {})],
  ["ui/notifications/tool-result", (result) => showResult(result)],
  ["ui/notifications/tool-cancelled", () => say("The call was cancelled.")],
  ["ui/notifications/host-context-changed", (context) => applyTheme(context)],
]);

request("ui/initialize", {
  appInfo: { name: "steward-plan", version: "1.0.0" },
  appCapabilities: {},
  protocolVersion: REVISION,
})
  .then(({ hostCapabilities = {}, hostContext = {} }) => {
    canCallTools = hostCapabilities.serverTools !== undefined;
    applyTheme(hostContext);
    send({ method: "ui/notifications/initialized" });
  })
  .catch((error) => say(error.message));

function send(message) {
  // The client's origin is not known; the messages hold nothing that the client has not sent itself.
  host.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function request(method, params) {
  lastId += 1;
  const id = lastId;
  return new Promise((resolve, reject) => {
    pending.set(id, { resolve, reject });
    send({ id, method, params });
  });
}

function settle({ id, result, error }) {
  const call = pending.get(id);
  pending.delete(id);
  if (error === undefined) call?.resolve(result);
  else call?.reject(new Error(String(error.message)));
}

function unknownMethod(method) {
  return { code: -32601, message: `Method not found: ${method}` };
}

function applyTheme({ theme }) {
  if (theme === "light" || theme === "dark") document.documentElement.style.colorScheme = theme;
}

/** The steps of a plan that is being submitted, before the server has answered. */
function drawSubmitted({ name = "", steps }) {
  if (!Array.isArray(steps) || followed !== "") return;
  const drawn = steps.map(({ id, name: label = "", depends_on = [] }) => {
    return { step_id: String(id), name: label, status: "pending", depends_on };
  });
  draw({ name, status: "pending", steps: drawn });
}

function showResult(result) {
  const content = contentOf(result);
  if (content.error !== undefined) say(String(content.error.message));
  if (Array.isArray(content.steps)) draw(content);
  if (typeof content.plan_id === "string") void follow(content.plan_id);
}

function contentOf({ structuredContent, content = [] }) {
  if (structuredContent !== undefined) return structuredContent;
  try {
    return JSON.parse(content[0].text);
  } catch {
    return {};
  }
}

/** Redraws the plan whenever something has happened to it, until it is over. */
async function follow(planId) {
  if (!canCallTools) return;
  followed = planId;
  try {
    let sequence = 0;
    for (let waits = 0; followed === planId && waits < WAITS_MAX; waits += 1) {
      await visible();
      const seen = await call("wait_for_events", {
        plan_id: planId,
        after_sequence: sequence,
        wait_seconds: WAIT_S,
      });
      if (followed !== planId) return;
      if (seen.events.length === 0 && !seen.ended) continue;
      [sequence, waits] = [seen.last_sequence, 0];
      const plan = await call("get_plan", { plan_id: planId });
      if (followed !== planId) return;
      draw(plan);
      if (seen.ended) return;
    }
    say("Nothing has happened for ten minutes; ask for the plan again to see what is new.");
  } catch (error) {
    say(`The picture is not up to date any more: ${error.message}`);
  }
}

async function call(name, args) {
  const content = contentOf(await request("tools/call", { name, arguments: args }));
  if (content.error !== undefined) throw new Error(String(content.error.message));
  return content;
}

/** A picture that nobody sees asks for nothing. */
function visible() {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) =>
    document.addEventListener("visibilitychange", resolve, { once: true }),
  );
}

function say(text) {
  document.getElementById("note").textContent = text;
  reportSize();
}

function draw({ name, status, steps, next_offset }) {
  const shown = steps.slice(0, STEPS_MAX);
  const done = steps.filter((step) => step.status === "completed").length;
  const isPart = next_offset !== undefined || shown.length < steps.length;
  document.getElementById("name").textContent = name || "Plan";
  document.getElementById("status").textContent =
    `${status}: ${done} of ${steps.length} steps completed` +
    (isPart ? `; the first ${shown.length} are shown` : "");
  document.getElementById("note").textContent = "";
  document.getElementById("picture").replaceChildren(pictureOf(shown));
  document.getElementById("failures").replaceChildren(...shown.flatMap(failureOf));
  reportSize();
}

function failureOf({ step_id, failure }) {
  if (failure === undefined) return [];
  const line = document.createElement("p");
  line.className = "failure";
  line.textContent = `${step_id}: ${failure.message}`;
  return [line];
}

function pictureOf(steps) {
  const places = placesOf(steps);
  const right = Math.max(0, ...[...places.values()].map(({ x }) => x + BOX.width));
  const bottom = Math.max(0, ...[...places.values()].map(({ y }) => y + BOX.height));
  const svg = element("svg", {
    ...{ width: right + 2, height: bottom + 2, viewBox: `-1 -1 ${right + 2} ${bottom + 2}` },
    ...{ role: "img", "aria-labelledby": "name status" },
  });
  for (const step of steps) {
    for (const before of step.depends_on) {
      if (places.has(before)) svg.append(edge(places.get(before), places.get(step.step_id)));
    }
  }
  for (const step of steps) svg.append(box(step, places.get(step.step_id)));
  return svg;
}

/** A step stands in the column after the last one that it depends on. */
function placesOf(steps) {
  const byId = new Map(steps.map((step) => [step.step_id, step]));
  const columns = new Map();
  const columnOf = (id) => {
    if (columns.has(id)) return columns.get(id);
    // A step that depends on itself, which the server refuses, ends here.
    columns.set(id, 0);
    const before = byId.get(id).depends_on.filter((other) => byId.has(other));
    columns.set(id, before.length === 0 ? 0 : 1 + Math.max(...before.map(columnOf)));
    return columns.get(id);
  };
  const heights = new Map();
  return new Map(
    steps.map(({ step_id: id }) => {
      const column = columnOf(id);
      const row = heights.get(column) ?? 0;
      heights.set(column, row + 1);
      return [id, { x: column * (BOX.width + BOX.gapX), y: row * (BOX.height + BOX.gapY) }];
    }),
  );
}

function edge(from, to) {
  const [x1, y1] = [from.x + BOX.width, from.y + BOX.height / 2];
  const [x2, y2] = [to.x, to.y + BOX.height / 2];
  const middle = (x1 + x2) / 2;
  const d = `M ${x1} ${y1} C ${middle} ${y1}, ${middle} ${y2}, ${x2} ${y2}`;
  return element("path", { class: "edge", d });
}

function box(step, { x, y }) {
  const status = SIGNS.has(step.status) ? step.status : "pending";
  const group = element("g", { class: `step ${status}`, transform: `translate(${x} ${y})` });
  const label = step.name || step.step_id;
  const rows = status === "completed" ? rowsOf(step.row_count) : "";
  group.append(
    element("title", {}, `${step.step_id}: ${label}`),
    element("rect", { width: BOX.width, height: BOX.height, rx: 8 }),
    element("text", { x: 12, y: 20 }, shortened(label)),
    element(
      "text",
      { class: "status", x: 12, y: 36 },
      `${SIGNS.get(status)} ${step.status}${rows}`,
    ),
  );
  return group;
}

function rowsOf(count) {
  return count === undefined ? "" : `, ${count} ${count === 1 ? "row" : "rows"}`;
}

function shortened(text) {
  return text.length > LABEL_LENGTH_MAX ? `${text.slice(0, LABEL_LENGTH_MAX - 1)}…` : text;
}

function element(tag, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

function reportSize() {
  const { scrollWidth: width, scrollHeight: height } = document.documentElement;
  send({ method: "ui/notifications/size-changed", params: { width, height } });
}
