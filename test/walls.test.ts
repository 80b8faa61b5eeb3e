import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/**
 * Checks that every architecture rule works: the test builds a small tree in which each file breaks
 * one rule, and the command that guards the repository must report that rule for that file.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
const configFile = join(root, ".dependency-cruiser.cjs");
const config = createRequire(import.meta.url)(configFile) as {
  readonly forbidden: readonly { readonly name: string }[];
};

/** The imports of the small tree's files. Files that break no rule exist to be imported. */
const files: Readonly<Record<string, readonly string[]>> = {
  "packages/protocol/src/index.ts": [],
  "packages/protocol/src/knows-client.ts": ["../../client/src/index.js"],
  "packages/client/src/index.ts": ["@steward/protocol", "./heavy.js"],
  "packages/client/src/heavy.ts": ["node:fs"],
  "packages/client/src/loads-schemas.ts": ["../../operations/src/index.js"],
  "packages/operations/src/index.ts": [],
  "packages/operations/src/knows-the-wire.ts": ["../../protocol/src/knows-client.js"],
  "packages/console/src/page.tsx": ["@steward/protocol"],
  "packages/server/src/app/imports-the-console.ts": ["../../../console/src/page.js"],
  "packages/server/src/app/app.ts": ["../storage/sqlite/store.js", "../kernel/clock.js"],
  "packages/server/src/lonely.ts": [],
  "packages/server/src/lost.ts": ["./nowhere.js"],
  "packages/server/src/undeclared.ts": ["undeclared-package"],
  "packages/server/src/ships-a-test.ts": ["./kernel/clock.test.js"],
  "packages/server/src/kernel/clock.ts": [],
  "packages/server/src/kernel/clock.test.ts": ["./clock.js"],
  "packages/server/src/kernel/leans-on-a-room.ts": ["../usage/index.js"],
  "packages/kernel/src/clock.ts": [],
  "packages/kernel/src/leans-on-the-server.ts": ["../../server/src/kernel/clock.js", "./clock.js"],
  "packages/server/src/kernel/round-a.ts": ["./round-b.js"],
  "packages/server/src/kernel/round-b.ts": ["./round-a.js"],
  "packages/server/src/plans/index.ts": ["../governance/index.js"],
  "packages/server/src/plans/ports.ts": ["../kernel/clock.js"],
  "packages/server/src/plans/plan.ts": ["../kernel/clock.js"],
  "packages/server/src/plans/transitions.ts": ["../kernel/clock.js"],
  "packages/server/src/plans/knows-usage.ts": ["../usage/index.js"],
  "packages/server/src/plans/knows-a-store.ts": ["../storage/sqlite/store.js"],
  "packages/server/src/plans/reads-files.ts": ["node:fs"],
  "packages/server/src/plans/uses-npm.ts": ["declared-package"],
  "packages/server/src/plans/speaks-rest.ts": ["@steward/protocol/rest"],
  "packages/server/src/governance/index.ts": ["../kernel/clock.js"],
  "packages/server/src/governance/knows-plans.ts": ["../plans/index.js"],
  "packages/server/src/identity/knows-usage.ts": ["../usage/index.js"],
  "packages/server/src/catalog/knows-usage.ts": ["../usage/index.js"],
  "packages/server/src/hints/knows-usage.ts": ["../usage/index.js"],
  "packages/server/src/memory/index.ts": ["../embedding/index.js"],
  "packages/server/src/memory/knows-plans.ts": ["../plans/index.js"],
  "packages/server/src/memory/exact-index/knows-memory.ts": ["../ports.js"],
  "packages/server/src/embedding/index.ts": ["../kernel/clock.js"],
  "packages/server/src/embedding/knows-memory.ts": ["../memory/ports.js"],
  "packages/server/src/memory/ports.ts": ["../kernel/clock.js"],
  "packages/server/src/usage/index.ts": ["../kernel/clock.js"],
  "packages/server/src/usage/knows-plans.ts": ["../plans/index.js"],
  "packages/server/src/payments/knows-usage.ts": ["../usage/index.js"],
  "packages/server/src/system/knows-plans.ts": ["../plans/index.js"],
  "packages/server/src/webhooks/knows-plans.ts": ["../plans/index.js"],
  "packages/server/src/audit/knows-usage.ts": ["../usage/index.js"],
  "packages/server/src/audit-export/knows-usage.ts": ["../usage/index.js"],
  "packages/server/src/approvals/knows-usage.ts": ["../usage/index.js"],
  "packages/server/src/retention/knows-usage.ts": ["../usage/index.js"],
  "packages/state/src/index.ts": [],
  "packages/state/src/knows-the-server.ts": ["../../server/src/kernel/clock.js"],
  "packages/state/src/blocks/climbs.ts": ["../service/state-service.js"],
  "packages/state/src/tree/climbs.ts": ["../service/state-service.js"],
  "packages/state/src/terms/climbs.ts": ["../service/state-service.js"],
  "packages/state/src/datasets/climbs.ts": ["../service/state-service.js"],
  "packages/state/src/history/climbs.ts": ["../service/state-service.js"],
  "packages/state/src/upkeep/climbs.ts": ["../service/state-service.js"],
  "packages/state/src/sync/climbs.ts": ["../service/state-service.js"],
  "packages/state/src/service/climbs.ts": ["../index.js"],
  "packages/state/src/service/reads-files.ts": ["node:fs"],
  "packages/state/src/service/state-service.ts": [],
  "packages/state/src/rdf/knows-sparql.ts": ["../sparql/index.js"],
  "packages/state/src/sparql/index.ts": [],
  "packages/postgres/src/knows-the-server.ts": ["../../server/src/kernel/clock.js"],
  "packages/schema/src/index.ts": [],
  "packages/schema/src/knows-the-server.ts": ["../../server/src/kernel/clock.js"],
  "packages/schema/src/model/climbs.ts": ["../migrations/migration-service.js"],
  "packages/schema/src/sql/climbs.ts": ["../migrations/migration-service.js"],
  "packages/schema/src/sqlite/climbs.ts": ["../migrations/migration-service.js"],
  "packages/schema/src/postgres/climbs.ts": ["../migrations/migration-service.js"],
  "packages/schema/src/changes/climbs.ts": ["../migrations/migration-service.js"],
  "packages/schema/src/scripts/climbs.ts": ["../migrations/migration-service.js"],
  "packages/schema/src/wanted/climbs.ts": ["../migrations/migration-service.js"],
  "packages/schema/src/lint/climbs.ts": ["../migrations/migration-service.js"],
  "packages/schema/src/tracking/climbs.ts": ["../migrations/migration-service.js"],
  "packages/schema/src/migrations/climbs.ts": ["../index.js"],
  "packages/schema/src/migrations/migration-service.ts": [],
  "packages/schema/src/migrations/reads-files.ts": ["node:fs"],
  "packages/schema/src/postgres-database/knows-sqlite.ts": ["../sqlite-database/index.js"],
  "packages/schema/src/sqlite-database/index.ts": [],
  "packages/server/src/policies/knows-usage.ts": ["../usage/index.js"],
  "packages/server/src/storage/sqlite/store.ts": ["../../plans/ports.js"],
  "packages/server/src/storage/sqlite/transitions-are-fine.ts": ["../../plans/transitions.js"],
  "packages/server/src/storage/sqlite/back-door.ts": ["../../plans/plan.js"],
  "packages/server/src/storage/postgres/leans-on-sqlite.ts": ["../sqlite/store.js"],
  "packages/server/src/adapters/log/knows-transport.ts": ["../../transport/services.js"],
  "packages/server/src/transport/services.ts": ["../plans/index.js"],
  "packages/server/src/transport/back-door.ts": ["../plans/transitions.js"],
  "packages/server/src/transport/knows-a-store.ts": ["../storage/sqlite/store.js"],
  "packages/server/src/config/opens-things.ts": ["../storage/sqlite/store.js"],
};

/** Each broken rule, with the file that breaks it. */
const offences: readonly (readonly [rule: string, file: string])[] = [
  ["no-circular", "packages/server/src/kernel/round-a.ts"],
  ["kernel-package-stands-alone", "packages/kernel/src/leans-on-the-server.ts"],
  ["kernel-stands-alone", "packages/server/src/kernel/leans-on-a-room.ts"],
  ["domain-is-pure", "packages/server/src/plans/knows-a-store.ts"],
  ["domain-has-no-drivers", "packages/server/src/plans/uses-npm.ts"],
  ["domain-has-no-wire", "packages/server/src/plans/speaks-rest.ts"],
  ["domain-does-no-io", "packages/server/src/plans/reads-files.ts"],
  ["rooms-by-front-door", "packages/server/src/transport/back-door.ts"],
  ["stores-by-front-door", "packages/server/src/storage/sqlite/back-door.ts"],
  ["plans-one-way", "packages/server/src/plans/knows-usage.ts"],
  ["catalog-one-way", "packages/server/src/catalog/knows-usage.ts"],
  ["hints-one-way", "packages/server/src/hints/knows-usage.ts"],
  ["memory-one-way", "packages/server/src/memory/knows-plans.ts"],
  ["exact-index-stands-alone", "packages/server/src/memory/exact-index/knows-memory.ts"],
  ["embedding-one-way", "packages/server/src/embedding/knows-memory.ts"],
  ["usage-one-way", "packages/server/src/usage/knows-plans.ts"],
  ["system-one-way", "packages/server/src/system/knows-plans.ts"],
  ["webhooks-one-way", "packages/server/src/webhooks/knows-plans.ts"],
  ["payments-one-way", "packages/server/src/payments/knows-usage.ts"],
  ["audit-one-way", "packages/server/src/audit/knows-usage.ts"],
  ["audit-export-one-way", "packages/server/src/audit-export/knows-usage.ts"],
  ["approvals-one-way", "packages/server/src/approvals/knows-usage.ts"],
  ["retention-one-way", "packages/server/src/retention/knows-usage.ts"],
  ["identity-one-way", "packages/server/src/identity/knows-usage.ts"],
  ["governance-one-way", "packages/server/src/governance/knows-plans.ts"],
  ["state-stands-alone", "packages/state/src/knows-the-server.ts"],
  ["state-blocks-below", "packages/state/src/blocks/climbs.ts"],
  ["state-tree-below", "packages/state/src/tree/climbs.ts"],
  ["state-terms-below", "packages/state/src/terms/climbs.ts"],
  ["state-datasets-below", "packages/state/src/datasets/climbs.ts"],
  ["state-history-below", "packages/state/src/history/climbs.ts"],
  ["state-upkeep-below", "packages/state/src/upkeep/climbs.ts"],
  ["state-sync-below", "packages/state/src/sync/climbs.ts"],
  ["state-service-below", "packages/state/src/service/climbs.ts"],
  ["state-adapters-are-strangers", "packages/state/src/rdf/knows-sparql.ts"],
  ["domain-does-no-io", "packages/state/src/service/reads-files.ts"],
  ["postgres-client-stands-alone", "packages/postgres/src/knows-the-server.ts"],
  ["schema-stands-alone", "packages/schema/src/knows-the-server.ts"],
  ["schema-model-below", "packages/schema/src/model/climbs.ts"],
  ["schema-sql-below", "packages/schema/src/sql/climbs.ts"],
  ["schema-sqlite-below", "packages/schema/src/sqlite/climbs.ts"],
  ["schema-postgres-below", "packages/schema/src/postgres/climbs.ts"],
  ["schema-changes-below", "packages/schema/src/changes/climbs.ts"],
  ["schema-scripts-below", "packages/schema/src/scripts/climbs.ts"],
  ["schema-wanted-below", "packages/schema/src/wanted/climbs.ts"],
  ["schema-lint-below", "packages/schema/src/lint/climbs.ts"],
  ["schema-tracking-below", "packages/schema/src/tracking/climbs.ts"],
  ["schema-migrations-below", "packages/schema/src/migrations/climbs.ts"],
  ["schema-adapters-are-strangers", "packages/schema/src/postgres-database/knows-sqlite.ts"],
  ["domain-does-no-io", "packages/schema/src/migrations/reads-files.ts"],
  ["policies-one-way", "packages/server/src/policies/knows-usage.ts"],
  ["transport-meets-no-machinery", "packages/server/src/transport/knows-a-store.ts"],
  ["machinery-meets-no-transport", "packages/server/src/adapters/log/knows-transport.ts"],
  ["stores-and-adapters-are-strangers", "packages/server/src/storage/postgres/leans-on-sqlite.ts"],
  ["config-is-data", "packages/server/src/config/opens-things.ts"],
  ["client-is-light", "packages/client/src/heavy.ts"],
  ["client-loads-no-operations", "packages/client/src/loads-schemas.ts"],
  ["console-is-a-client", "packages/console/src/page.tsx"],
  ["nobody-imports-the-console", "packages/server/src/app/imports-the-console.ts"],
  ["protocol-stands-alone", "packages/protocol/src/knows-client.ts"],
  ["operations-stand-alone", "packages/operations/src/knows-the-wire.ts"],
  ["npm-must-be-declared", "packages/server/src/undeclared.ts"],
  ["no-test-in-product", "packages/server/src/ships-a-test.ts"],
  ["not-to-unresolvable", "packages/server/src/lost.ts"],
  ["no-orphans", "packages/server/src/lonely.ts"],
];

const tree = mkdtempSync(join(tmpdir(), "steward-walls-"));

beforeAll(() => {
  for (const [file, imports] of Object.entries(files)) {
    write(file, `${imports.map((path) => `import "${path}";\n`).join("")}export {};\n`);
  }
  write("package.json", JSON.stringify({ dependencies: { "declared-package": "1.0.0" } }));
  write("packages/protocol/src/rest/index.ts", "export {};\n");
  write(
    "packages/protocol/package.json",
    JSON.stringify({
      name: "@steward/protocol",
      exports: { ".": "./src/index.ts", "./rest": "./src/rest/index.ts" },
    }),
  );
  for (const name of ["declared-package", "undeclared-package"]) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: "index.js" }));
    write(`node_modules/${name}/index.js`, "");
  }
  mkdirSync(join(tree, "node_modules/@steward"));
  symlinkSync(join(tree, "packages/protocol"), join(tree, "node_modules/@steward/protocol"));
  cpSync(join(root, "tsconfig.base.json"), join(tree, "tsconfig.base.json"));
});

afterAll(() => rmSync(tree, { recursive: true }));

describe("the walls between the rooms", () => {
  it("are each broken on purpose by one file of this test", () => {
    const broken = new Set(offences.map(([rule]) => rule));
    expect([...broken].sort()).toEqual(config.forbidden.map(({ name }) => name).sort());
  });

  it("are named when they are broken, and only then", () => {
    expect(violations()).toEqual(offences.map(([rule, file]) => `${rule}: ${file}`).sort());
  });
});

function violations(): readonly string[] {
  const command = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const options = ["--config", configFile, "--output-type", "json", "packages"];
  const report = execFileSync(process.execPath, [command, ...options], {
    cwd: tree,
    encoding: "utf8",
  });
  const { summary } = JSON.parse(report);
  const found = summary.violations.map(
    (violation: { rule: { name: string }; from: string }) =>
      `${violation.rule.name}: ${violation.from}`,
  );
  return [...new Set<string>(found)].sort();
}

function write(file: string, text: string): void {
  const path = join(tree, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
