import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { shows, WAIT_MS, type OpenConsole } from "./open-console.js";

/** What an agent may try in each field that it writes. */
const HOSTILE = [
  `<img src=x onerror="window.ran=1"></title></script><script>window.ran=1</script>`,
  "javascript:window.ran=1 {{constructor.constructor('window.ran=1')()}}",
  "\u202egnirts desrever\u2066\u200b",
  // Ends the isolation of its element, and reorders what follows.
  "\u2069\u202e gnidnuorrus\u2069\u202e",
  `=HYPERLINK("javascript:window.ran=1")`,
  "x".repeat(255),
] as const;
/** The server takes entries of 64 KiB. */
const LONGEST_ENTRY = 65_000;
/** As many characters of a text as every page shows. */
const SHOWN_LENGTH = 40;

/** Each page with texts in every field that an agent may write. */
export function describeHostileTexts(shared: OpenConsole): void {
  describe("with hostile texts", () => {
    it("shows them as texts, on every page", async () => {
      const { agent, admin } = shared.server;
      const plans = await planOfEach(shared);
      const wide = await agent.plans.submit({
        ...{ name: HOSTILE[0], description: HOSTILE[3], session_id: HOSTILE[1] },
        steps: HOSTILE.map((name, index) => ({
          ...{ id: `s${String(index)}`, name },
          query_template: `SELECT ${quoted(name)} AS ${quoted(name, '"')} -- ${withoutBraces(name)}`,
        })),
      });
      await agent.plans.run(wide.plan_id);
      await writeState(shared);
      const { sql } = await admin.migrations.dumpSchema({ database: "shop" });
      await admin.migrations.proposeMigration({
        ...{ database: "shop", message: HOSTILE[3] },
        sql: `${sql}\nCREATE TABLE ${quoted(HOSTILE[0], '"')} (${quoted(HOSTILE[2], '"')} INTEGER);`,
      });
      const [record] = (await admin.audit.listAuditRecords({ subject: plans[0] ?? "" })).records;
      await using opened = await shared.open("/plans", "admin");
      const { page, problems } = opened;
      const plan = `/plans/${wide.plan_id}`;
      const state = "/state?ref=heads%2Fhostile";
      for (const [path, texts] of [
        ["/plans", HOSTILE],
        [`${plan}?view=table&step=s3`, HOSTILE],
        [`${plan}?view=graph`, HOSTILE],
        [`${plan}?view=waterfall`, HOSTILE],
        ["/connect", [HOSTILE[0]]],
        ["/memory", HOSTILE],
        ["/usage?days=7", HOSTILE.slice(0, 2)],
        ["/usage?days=7&view=table", HOSTILE.slice(0, 2)],
        [state, HOSTILE],
        [`${state}&view=triples&around=%3Curn%3Ahostile%3E`, HOSTILE],
        ["/migrations", [HOSTILE[3]]],
        [`/audit?record=${String(record?.index)}`, [HOSTILE[0]]],
      ] as const) {
        await page.goto(path);
        for (const text of texts) {
          const shown = () => page.evaluate("document.querySelector('main').textContent");
          await expect
            .poll(shown, { timeout: WAIT_MS, message: `${path}: ${text}` })
            .toContain(text.slice(0, SHOWN_LENGTH));
        }
        expect([path, await reorderedTexts(page)]).toEqual([path, []]);
        expect(await page.evaluate("window.ran")).toBeUndefined();
        expect(await page.locator("main img[src='x'], a[href^='javascript:']").count()).toBe(0);
      }
      // Here the console's word for the type of a column follows the column's name on the same line.
      await page.goto(`${plan}?view=table&step=s3`);
      await page.getByRole("tab", { name: "Result" }).click({ timeout: WAIT_MS });
      await page.getByRole("table", { name: "Rows" }).getByText("text", { exact: true }).waitFor();
      expect(await reorderedTexts(page)).toEqual([]);
      expect(await page.title()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      expect(problems).toEqual([]);
    });

    it("shows the beginning of the longest entry of the memory", async () => {
      const content = JSON.stringify({ note: `Vast ${"y".repeat(LONGEST_ENTRY)}` });
      await shared.server.admin.memory.addMemoryEntry({ session_id: "vast", content });
      await using opened = await shared.open("/memory", "admin");
      const { page, problems } = opened;
      await shows(page, "Vast yyy");
      const shown = await page.getByText("Vast yyy").first().textContent();
      expect(shown?.length).toBeLessThan(1000);
      expect(problems).toEqual([]);
    });
  });
}

/** A plan for each text: its own name, description and session, and an entry of the memory. */
async function planOfEach({ server: { agent, admin } }: OpenConsole): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const text of HOSTILE) {
    const { plan_id: id } = await agent.plans.submit({
      ...{ name: text, description: text, session_id: text },
      steps: [{ id: "a", name: text, query_template: "SELECT 1 AS n" }],
    });
    await agent.plans.run(id);
    ids.push(id);
    await admin.memory.addMemoryEntry({
      session_id: text,
      content: JSON.stringify({ note: text }),
    });
  }
  return ids;
}

/** A commit with each text as its message and as a value. */
async function writeState({ server: { admin } }: OpenConsole): Promise<void> {
  for (const [index, message] of HOSTILE.entries()) {
    const quad = `<urn:hostile> <urn:says${String(index)}> ${JSON.stringify(message)} .`;
    await admin.state.importState({
      ...{ branch: "hostile", format: "n-triples", content: quad, message },
    });
  }
}

/** The console's own texts that are not drawn from left to right, since a text of an agent reorders them. */
async function reorderedTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const leftOf = (node, index) => {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + 1);
      return range.getBoundingClientRect();
    };
    const reordered = [];
    while (texts.nextNode()) {
      const node = texts.currentNode;
      const text = node.data;
      if (text.trim().length < 2 || node.parentElement.closest("bdi, pre, textarea, script, style, svg")) continue;
      const first = leftOf(node, text.search(/\\S/));
      const last = leftOf(node, text.trimEnd().length - 1);
      if (first.width > 0 && first.top === last.top && last.left < first.left) reordered.push(text);
    }
    return reordered;
  })()`);
}

/** A text as SQL quotes it: a value, or with double quotes a name. */
function quoted(text: string, mark = "'"): string {
  return mark + withoutBraces(text).replaceAll(mark, mark + mark) + mark;
}

/** Braces would be a placeholder of the template. */
function withoutBraces(text: string): string {
  return text.replace(/[{}]/g, "");
}
