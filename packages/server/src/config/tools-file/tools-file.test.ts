import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseToolsFile } from "./tools-file.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const OTHER = "0c5d9f8e-2b7a-4c1d-8e3f-5a6b7c8d9e0f";
const SOURCES = [
  { name: "shop", url: "sqlite:shop.db" },
  { name: "crm", url: "postgres://crm@db/crm" },
];

function reasons(text: string): readonly string[] {
  return parseToolsFile(text, "tools.yaml", SOURCES).problems.map(({ reason }) => reason);
}

/** What a tools file says about each data source. */
function sourcesIn(text: string): object {
  return Object.fromEntries(parseToolsFile(text, "tools.yaml", SOURCES).sources ?? []);
}

describe("a tools file", () => {
  it("binds names to data sources, intents", () => {
    const text = `
strict: true
tools:
  - name: shop_query
    data_source: shop
    allowed_intents: [read_select]
  - { name: crm_cleanup, data_source: crm }
`;
    expect(parseToolsFile(text, "tools.yaml", SOURCES)).toEqual({
      problems: [],
      sources: new Map(),
      tools: {
        strict: true,
        tools: [
          { name: "shop_query", dataSource: "shop", allowedIntents: ["read_select"] },
          { name: "crm_cleanup", dataSource: "crm" },
        ],
      },
    });
  });

  it("binds data sources to organizations, each with a URL or a role where it has one", () => {
    const text = `
data_sources:
  - { name: shop, organizations: [${ORG.toUpperCase()}] }
  - name: crm
    organizations:
      - { id: ${ORG}, role: crm_a }
      - { id: ${OTHER}, url: "postgres://b@db/crm_b" }
`;
    expect(sourcesIn(text)).toEqual({
      shop: { organizations: [{ orgId: ORG }] },
      crm: {
        organizations: [
          { orgId: ORG, role: "crm_a" },
          { orgId: OTHER, url: "postgres://b@db/crm_b" },
        ],
      },
    });
  });

  it("names receivers of webhooks, with secrets from the environment", () => {
    const secret = `whsec_${"A".repeat(32)}`;
    const webhook = (over: object): string =>
      JSON.stringify({
        webhooks: [
          {
            name: "ops",
            url: "https://h.example/x",
            secrets: ["${OPS}"],
            events: ["plan.failed"],
            ...over,
          },
        ],
      });
    const parse = (text: string): ReturnType<typeof parseToolsFile> =>
      parseToolsFile(text, "tools.yaml", SOURCES, { OPS: secret });
    expect(parse(webhook({})).tools?.webhooks).toEqual([
      { name: "ops", url: "https://h.example/x", secrets: [secret], events: ["plan.failed"] },
    ]);
    for (const [over, reason] of [
      [{ url: "http://h.example/x" }, /must be an https URL/],
      [{ url: "https://u:p@h.example/" }, /without a user name or password/],
      [{ secrets: ["whsec_short"] }, /must be whsec_ and the base64/],
      [{ secrets: ["${MISSING}"] }, /MISSING, which is not set/],
      [{ secrets: [] }, /one or two secrets/],
      [{ events: ["plan.lost"] }, /must be one of plan.completed/],
    ] as const) {
      expect(parse(webhook(over)).problems.map((problem) => problem.reason)).toEqual([
        expect.stringMatching(reason),
      ]);
    }
    expect(parse(webhook({ url: "http://127.0.0.1:9/" })).problems).toEqual([]);
  });

  it("says whose writes are not previewed", () => {
    const text = `
data_sources:
  - { name: crm, previews: false }
  - { name: shop, previews: true }
`;
    expect(sourcesIn(text)).toEqual({ crm: { previews: false }, shop: {} });
  });

  it("says how long a statement on a data source may take", () => {
    const text = "data_sources:\n  - { name: crm, timeout_ms: 5000 }\n  - { name: shop }\n";
    expect(sourcesIn(text)).toEqual({ crm: { timeoutMs: 5000 }, shop: {} });
    expect(reasons("data_sources:\n  - {name: crm, timeout_ms: 3600001}\n")).toEqual([
      "tools.yaml:2: data_sources[0].timeout_ms: must be a whole number of milliseconds from 1 to 3600000",
    ]);
  });

  it("says how many sessions a data source has", () => {
    const text = `
data_sources:
  - { name: crm, sessions_max: 3, organizations: [${ORG}] }
  - { name: shop, sessions_max: 1000 }
`;
    expect(sourcesIn(text)).toEqual({
      crm: { sessionsMax: 3, organizations: [{ orgId: ORG }] },
      shop: { sessionsMax: 1000 },
    });
  });

  it("says what data sources, tables and columns hold, by names in lower case", () => {
    const text = `
data_sources:
  - name: shop
    description: the web shop
    tables:
      Orders:
        description: one row for each checkout
        columns: { Total: "in euros, with VAT" }
        questions: [What was our turnover?]
`;
    expect(parseToolsFile(text, "tools.yaml", SOURCES).tools?.notes).toEqual(
      new Map([
        [
          "shop",
          {
            description: "the web shop",
            tables: new Map([
              [
                "orders",
                {
                  description: "one row for each checkout",
                  columns: new Map([["total", "in euros, with VAT"]]),
                  questions: ["What was our turnover?"],
                },
              ],
            ]),
          },
        ],
      ]),
    );
    expect(reasons(`data_sources:\n  - {name: shop, tables: {orders: {column: {}}}}\n`)).toEqual([
      expect.stringContaining("tools.yaml:2: data_sources[0].tables.orders") as string,
    ]);
  });

  it.each([0, 1001, 2.5, "many"])("refuses %j sessions", (sessions) => {
    expect(reasons(`data_sources:\n  - {name: crm, sessions_max: ${sessions}}\n`)).toEqual([
      "tools.yaml:2: data_sources[0].sessions_max: must be a whole number of sessions from 1 to 1000",
    ]);
  });

  it("is shown in the documentation as it is read", () => {
    const page = readFileSync(
      new URL("../../../../../docs/tools-file.md", import.meta.url),
      "utf8",
    );
    const example = /```yaml\n(.*?)```/s.exec(page)?.[1] ?? "";
    const { tools, problems } = parseToolsFile(example, "tools.yaml", SOURCES);
    expect(problems).toEqual([]);
    expect(tools?.tools).toHaveLength(3);
  });

  it("has tools with a statement of their own, and tells what is wrong with one", () => {
    const vetted = (keys: string, name = "by_city"): readonly string[] =>
      reasons(`tools:\n  - { name: ${name}, data_source: crm, ${keys} }`);
    const city = "parameters: [{ name: city, type: text }]";
    const sql = "statement: 'SELECT 1 FROM c WHERE city = {{city}}'";
    expect(vetted(`description: d, ${sql}, ${city}, roles: [agent]`)).toEqual([]);
    const at = "tools.yaml:2: tools[0]";
    expect(vetted(`description: d, ${sql}, ${city}`, "query")).toEqual([
      `${at}.name: is the name of one of Steward's own tools`,
    ]);
    expect(vetted(`${sql}, ${city}, allowed_intents: [admin]`, "a/b")).toEqual([
      `${at}.name: must be letters, digits, _ and -, 64 at most`,
      `${at}: needs a description`,
      `${at}.allowed_intents: needs no statement: set intent instead`,
    ]);
    expect(vetted("description: d, roles: [agent]")).toEqual([
      `${at}.description: needs a statement`,
      `${at}.roles: needs a statement`,
    ]);
    expect(vetted(`description: d, ${sql}`)).toEqual([
      `${at}.statement: has "city", which is no parameter: it has none`,
    ]);
    const two = "parameters: [{ name: city, type: text }, { name: n, type: integer, default: x }]";
    expect(vetted(`description: d, ${sql}, ${two}`)).toEqual([
      `${at}.parameters[1].default: must be of the type integer, or null`,
    ]);
    expect(vetted(`description: d, ${sql}, ${two.replace("default: x", "default: 1")}`)).toEqual([
      `${at}.statement: has no {{n}}, which is a parameter`,
    ]);
    expect(vetted(`description: d, statement: 'SELECT {{step.a.output}}'`)[0]).toContain(
      "names an output of a step",
    );
    expect(vetted(`description: d, statement: 'SELECT 1 IN {{city}}', ${city}`)[0]).toContain(
      "{{city}} stands without parentheses",
    );
    expect(vetted(`description: d, ${sql}, ${city}, tests: [{ arguments: { city: 5 } }]`)).toEqual([
      `${at}.tests[0].arguments: has "city", which must be a value of the type text`,
    ]);
  });

  it("may be empty", () => {
    expect(parseToolsFile("", "tools.yaml", []).tools).toEqual({ strict: false, tools: [] });
  });

  it.each<[string, string, RegExp]>([
    ["YAML that does not parse", "tools:\n  - name: [a\n", /^tools\.yaml:\d: /],
    ["a key given twice", "strict: true\nstrict: false\n", /^tools\.yaml:2: .*unique/],
    ["an unknown key", "tool: []\n", /^tools\.yaml:1: unknown key tool; did you mean tools\?/],
    [
      "an unknown key of a tool",
      "tools:\n  - {name: a, data_source: shop, intents: []}\n",
      /^tools\.yaml:2: tools\[0\]: unknown key intents; did you mean allowed_intents\?/,
    ],
    [
      "a list instead of a map",
      "- a\n",
      /^tools\.yaml:1: must hold strict, tools, data_sources, mcp_servers or webhooks/,
    ],
    [
      "an organization that is no UUID",
      "data_sources:\n  - {name: shop, organizations: [acme]}\n",
      /^tools\.yaml:2: data_sources\[0\]\.organizations\[0\]: must be the id of an organization/,
    ],
    [
      "a data source that is bound twice",
      "data_sources:\n  - {name: shop, organizations: []}\n  - {name: shop, organizations: []}\n",
      /^tools\.yaml:3: data_sources\[1\]\.name: is the name of data_sources\[0\] too/,
    ],
    [
      "a role on SQLite",
      `data_sources:\n  - {name: shop, organizations: [{id: ${ORG}, role: a}]}\n`,
      /^tools\.yaml:2: .*cannot have a role: SQLite has none/,
    ],
    [
      "a URL of another engine",
      `data_sources:\n  - {name: crm, organizations: [{id: ${ORG}, url: own.db}]}\n`,
      /^tools\.yaml:2: .*url of another engine/,
    ],
    [
      "a URL and a role",
      `data_sources:\n  - {name: crm, organizations: [{id: ${ORG}, url: own.db, role: a}]}\n`,
      /^tools\.yaml:2: .*has one of url, url_file and role/,
    ],
    [
      "a file of a URL that is not there",
      `data_sources:\n  - {name: crm, organizations: [{id: ${ORG}, url_file: /none}]}\n`,
      /^tools\.yaml:2: .*the url_file \/none, which cannot be read/,
    ],
    ["a strict that is no boolean", "strict: 3\n", /^tools\.yaml:1: strict: must be true or false/],
    ["tools that are no list", "\ntools: 7\n", /^tools\.yaml:2: tools: must be a list/],
    [
      "a missing data source",
      "tools:\n  - name: a\n",
      /^tools\.yaml:2: tools\[0\]\.data_source: must be a name/,
    ],
    [
      "a misspelt data source",
      "tools:\n  - name: a\n    data_source: shpo\n",
      /^tools\.yaml:3: tools\[0\]\.data_source: "shpo" is not a data source; did you mean shop\?/,
    ],
    [
      "an unknown intent",
      "tools:\n  - name: a\n    data_source: shop\n    allowed_intents:\n      - read\n",
      /^tools\.yaml:5: tools\[0\]\.allowed_intents\[0\]: must be one of read_select/,
    ],
    [
      "a name listed twice",
      "tools:\n  - {name: a, data_source: shop}\n  - {name: a, data_source: crm}\n",
      /^tools\.yaml:3: tools\[1\]\.name: is the name of tools\[0\] too/,
    ],
    [
      "annotations, which a statement needs no more than its text",
      "tools:\n  - name: a\n    data_source: shop\n    annotations: {read_only: true}\n",
      /^tools\.yaml:2: tools\[0\]: unknown key annotations/,
    ],
  ])("with %s is refused with the line", (_what, text, said) => {
    expect(reasons(text)).toHaveLength(1);
    expect(reasons(text)[0]).toMatch(said);
  });

  it("reports every mistake at once", () => {
    expect(reasons("tools:\n  - {name: a}\n  - {name: b}\n")).toHaveLength(2);
  });

  describe("with MCP servers", () => {
    const parsed = (text: string, env = {}) =>
      parseToolsFile(`mcp_servers:\n${text}`, "tools.yaml", SOURCES, env);

    it("lists their tools with intents, and takes secrets from the environment", () => {
      const text = `
  - name: files
    command: npx
    args: [-y, files-server]
    env: { TOKEN: "\${FILES_TOKEN}" }
    tools: [{ name: read_file, intent: read_select }]
  - name: tickets
    url: https://tickets.example.com/mcp
    headers: { Authorization: "Bearer \${TICKETS_TOKEN}" }
    organizations: [${ORG.toUpperCase()}]
    tools: [{ name: create, intent: write_insert }]
`;
      const { tools, problems } = parsed(text, { FILES_TOKEN: "f", TICKETS_TOKEN: "t" });
      expect(problems).toEqual([]);
      expect(tools?.mcpServers).toEqual([
        {
          name: "files",
          endpoint: { command: "npx", args: ["-y", "files-server"], env: { TOKEN: "f" } },
          tools: [{ name: "read_file", intent: "read_select" }],
        },
        {
          name: "tickets",
          endpoint: {
            url: "https://tickets.example.com/mcp",
            headers: { Authorization: "Bearer t" },
          },
          organizations: [{ orgId: ORG }],
          tools: [{ name: "create", intent: "write_insert" }],
        },
      ]);
    });

    it("takes the secrets of a client from the environment", () => {
      const text = `
  - name: tickets
    url: https://tickets.example.com/mcp
    oauth:
      grant: client_credentials
      issuer: https://login.example.com
      client_id: steward
      client_secret: "\${TICKETS_SECRET}"
    tools: [{ name: create, intent: write_insert }]
`;
      const { tools, problems } = parsed(text, { TICKETS_SECRET: "t" });
      expect(problems).toEqual([]);
      expect(tools?.mcpServers?.[0]?.endpoint).toMatchObject({
        oauth: {
          ...{ grant: "client_credentials", issuer: "https://login.example.com" },
          ...{ clientId: "steward", clientSecret: "t" },
        },
      });
    });

    it.each([
      [
        "no issuer",
        "{grant: client_credentials, client_id: a, client_secret: b}",
        /needs the issuer/,
      ],
      [
        "no client",
        "{grant: authorization_code, issuer: I, refresh_token: b}",
        /needs the client_id/,
      ],
      [
        "no secret",
        "{grant: client_credentials, issuer: I, client_id: a}",
        /needs a client_secret/,
      ],
      [
        "a key that is none",
        "{grant: client_credentials, issuer: I, client_id: a, private_key: x}",
        /PEM/,
      ],
      [
        "plain http",
        "{grant: authorization_code, issuer: 'http://login.example.com'}",
        /https URL/,
      ],
      ["another grant", "{grant: password}", /must be one of authorization_code/],
      ["a misspelt key", "{grant: authorization_code, scopes: x}", /unknown key scopes/],
    ])("reports OAuth with %s", (_what, oauth, reason) => {
      const entry = `{name: a, url: 'https://a', oauth: ${oauth}, tools: [{name: t, intent: admin}]}`;
      const text = `  - ${entry.replace("issuer: I", "issuer: 'https://login.example.com'")}\n`;
      expect(
        parsed(text)
          .problems.map((each) => each.reason)
          .join(),
      ).toMatch(reason);
    });

    it("reports OAuth beside the header that it sets", () => {
      const text =
        "  - {name: a, url: 'https://a', headers: {Authorization: x}, oauth: {grant: authorization_code}, tools: [{name: t, intent: admin}]}\n";
      expect(parsed(text).problems[0]?.reason).toContain("header Authorization");
    });

    it.each([
      ["no way to reach it", "{name: a, tools: [T]}", /needs a url, or a command/],
      ["both ways", "{name: a, url: 'https://a', command: b, tools: [T]}", /and not both/],
      [
        "a password in the URL",
        "{name: a, url: 'https://u:p@a', tools: [T]}",
        /without a user name/,
      ],
      ["another scheme", "{name: a, url: 'file:///a', tools: [T]}", /http or https/],
      ["headers of a process", "{name: a, command: b, headers: {}, tools: [T]}", undefined],
      [
        "a variable that is not set",
        "{name: a, url: 'https://a', headers: {X: '${NONE}'}, tools: [T]}",
        /NONE, which is not set/,
      ],
      [
        "a line break in a header",
        "{name: a, url: 'https://a', headers: {X: '${BREAK}'}, tools: [T]}",
        /cannot hold/,
      ],
      ["no tools", "{name: a, command: b, tools: []}", /must name the tools/],
      [
        "a tool without an intent",
        "{name: a, command: b, tools: [{name: t}]}",
        /intent: must be one of/,
      ],
      [
        "a tool listed twice",
        "{name: a, command: b, tools: [T, T]}",
        /is the name of tools\[0\] too/,
      ],
      [
        "annotations of a tool",
        "{name: a, command: b, tools: [{name: t, intent: admin, annotations: {}}]}",
        /unknown key annotations/,
      ],
    ])("reports %s", (_what, entry, reason) => {
      const text = `  - ${entry.replaceAll("T", "{name: t, intent: admin}").replaceAll("NONE", "NONE")}\n`;
      const reasons = parsed(text, { BREAK: "s3cret\n" }).problems.map((each) => each.reason);
      if (reason === undefined) expect(reasons).toEqual([]);
      else expect(reasons.join()).toMatch(reason);
      expect(reasons.join()).not.toContain("s3cret");
    });

    it("keeps the prefix of their tools for them", () => {
      expect(reasons("tools:\n  - {name: 'mcp:a/b', data_source: shop}\n")[0]).toMatch(
        /must not begin with mcp:.*mcp_servers/,
      );
    });
  });
});
