// One rule per wall. The comment is what the developer reads when it breaks. Each rule is offended
// on purpose in test/walls.test.ts.

const src = "^packages/server/src";
/** The package and, in the server, what only its own rooms need. */
const kernel = "^packages/kernel/(src|dist)/|^packages/server/src/kernel/";
const domain =
  "approvals|audit|audit-export|catalog|hints|identity|plans|memory|embedding|usage|payments|governance|policies|retention|system|webhooks";
/** The folders of @steward/state that no wire and no driver enters, each above those before it. */
const stateLayers = [
  ...["blocks", "tree", "terms", "datasets", "history", "upkeep", "sync", "service"],
];
const stateLayer = `^packages/state/src/(${stateLayers.join("|")})/`;
/** The same of @steward/schema. Types may come from any of them. */
const schemaLayers = [
  ...["model", "sql", "sqlite", "postgres", "changes", "scripts", "wanted", "lint", "tracking"],
  "migrations",
];
const schemaLayer = `^packages/schema/src/(${schemaLayers.join("|")})/`;
/** What is pure: decisions and algebra, without npm modules, files or sockets. */
const pure = [
  `${src}/(kernel|${domain})/`,
  "^packages/(kernel|schema|state)/src/[^/]+$",
  stateLayer,
  schemaLayer,
];
/** Tests, the batteries they share and what only they need. */
const test = "\\.test\\.ts$|/testing/";

/** A room of the domain and the other rooms it may look into. */
function oneWay(room, mayImport) {
  const allowed = [room, ...mayImport].join("|");
  return {
    name: `${room}-one-way`,
    severity: "error",
    comment:
      mayImport.length === 0
        ? `${room}/ knows no other room of the domain, only kernel/`
        : `of the rooms of the domain, ${room}/ knows only ${mayImport.join(", ")}/`,
    from: { path: `${src}/${room}/`, pathNot: test },
    to: { path: `${src}/(${domain})/`, pathNot: `${src}/(${allowed})/` },
  };
}

/** Data structures and encodings without input or output; they need no port. */
const plainLibraries = "node_modules/(lru-cache|multiformats)/";

module.exports = {
  forbidden: [
    {
      name: "no-circular",
      severity: "error",
      comment: "modules that need each other at run time are one module",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "kernel-package-stands-alone",
      severity: "error",
      comment: "the package @steward/kernel knows nothing of the server, not even its kernel/",
      from: { path: "^packages/kernel/" },
      to: { path: "^packages/(?!kernel/|protocol/)" },
    },
    {
      name: "kernel-stands-alone",
      severity: "error",
      comment:
        "the kernel imports node's own modules, the error codes of the protocol and the plain libraries, nothing else",
      from: { path: kernel, pathNot: test },
      to: {
        pathNot: [kernel, "^packages/protocol/(src|dist)/(index|error-codes)\\.", plainLibraries],
        dependencyTypesNot: ["core"],
      },
    },
    {
      name: "domain-is-pure",
      severity: "error",
      comment: "the domain sees ports, never adapters, wires or settings",
      from: { path: pure, pathNot: test },
      to: {
        path: `${src}/(storage|adapters|transport|config|cli|app)/|${src}/index\\.ts$`,
      },
    },
    {
      name: "domain-has-no-drivers",
      severity: "error",
      comment:
        "parsers, drivers, HTTP and loggers sit behind ports; of npm modules the domain imports only the plain libraries",
      from: { path: pure, pathNot: test },
      to: { path: "node_modules/", pathNot: plainLibraries },
    },
    {
      name: "domain-has-no-wire",
      severity: "error",
      comment: "of the protocol the domain knows the error codes, not the messages of a transport",
      from: { path: pure, pathNot: test },
      to: {
        path: "^packages/protocol/",
        pathNot: "^packages/protocol/(src|dist)/(index|error-codes)\\.",
      },
    },
    {
      name: "domain-does-no-io",
      severity: "error",
      comment: "files, sockets and processes come in through ports; hashing and waiting need none",
      from: { path: [`${src}/(${domain})/`, stateLayer, schemaLayer], pathNot: test },
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?(crypto|timers/promises)$" },
    },
    {
      name: "rooms-by-front-door",
      severity: "error",
      comment: "a room is seen from outside only through its index.ts, ports.ts or limits.ts",
      from: { path: `${src}/([^/]+)/`, pathNot: [test, `${src}/storage/`] },
      to: { path: `${src}/(${domain})/`, pathNot: [`${src}/$1/`, "/(index|ports|limits)\\.ts$"] },
    },
    {
      name: "stores-by-front-door",
      severity: "error",
      comment:
        "a store sees a room's index.ts, ports.ts and limits.ts, and the decisions it makes durable",
      from: { path: `${src}/storage/`, pathNot: test },
      to: {
        path: `${src}/(${domain})/`,
        pathNot: ["/(index|ports|limits)\\.ts$", `${src}/plans/(transitions|execution)\\.ts$`],
      },
    },
    oneWay("audit", []),
    oneWay("audit-export", ["audit"]),
    oneWay("identity", []),
    oneWay("approvals", ["governance"]),
    oneWay("plans", ["approvals", "governance"]),
    oneWay("memory", ["embedding"]),
    {
      name: "exact-index-stands-alone",
      severity: "error",
      comment: "the exact index knows of memory/ only the port that it implements, and its limits",
      from: { path: `${src}/memory/exact-index/`, pathNot: test },
      to: {
        path: `${src}/(${domain})/`,
        pathNot: `${src}/memory/(exact-index/|(vector-index|limits)\\.ts$)`,
      },
    },
    oneWay("embedding", []),
    oneWay("usage", ["governance"]),
    oneWay("payments", []),
    oneWay("retention", []),
    oneWay("system", []),
    oneWay("webhooks", []),
    oneWay("governance", []),
    oneWay("catalog", ["embedding", "governance", "memory"]),
    oneWay("hints", ["catalog", "governance", "plans"]),
    {
      name: "state-stands-alone",
      severity: "error",
      comment: "@steward/state is a library of its own: of this repository it knows the kernel",
      from: { path: "^packages/state/" },
      to: { path: "^packages/(?!state/|kernel/|protocol/)" },
    },
    ...stateLayers.map((layer, index) => ({
      name: `state-${layer}-below`,
      severity: "error",
      comment: `${layer}/ of @steward/state knows the layers below it only: ${stateLayers.slice(0, index).join(", ") || "none"}`,
      from: { path: `^packages/state/src/${layer}/`, pathNot: test },
      to: {
        path: `^packages/state/src/(${[...stateLayers.slice(index + 1), "rdf", "sparql", "index"].join("|")})[/.]`,
      },
    })),
    {
      name: "schema-stands-alone",
      severity: "error",
      comment:
        "@steward/schema is a library of its own: of this repository it knows what it is built on",
      from: { path: "^packages/schema/", pathNot: test },
      to: { path: "^packages/(?!schema/|state/|kernel/|postgres/|protocol/)" },
    },
    ...schemaLayers.map((layer, index) => ({
      name: `schema-${layer}-below`,
      severity: "error",
      comment: `${layer}/ of @steward/schema knows the layers below it only: ${schemaLayers.slice(0, index).join(", ") || "none"}`,
      from: { path: `^packages/schema/src/${layer}/`, pathNot: test },
      to: {
        path: `^packages/schema/src/(${[...schemaLayers.slice(index + 1), ...["catalogs", "cli", "live", "postgres-database", "sqlite-database", "sqlite-syntax", "index"]].join("|")})[/.]`,
        dependencyTypesNot: ["type-only"],
      },
    })),
    {
      name: "schema-adapters-are-strangers",
      severity: "error",
      comment:
        "what opens databases sees the catalogs' queries, index.ts and limits.ts, and not the other engine",
      from: { path: "^packages/schema/src/([a-z]+-database)/", pathNot: test },
      to: {
        path: "^packages/schema/src/",
        pathNot: [
          "^packages/schema/src/($1|catalogs)/",
          "^packages/schema/src/(index|ports|limits)\\.ts$",
        ],
      },
    },
    {
      name: "postgres-client-stands-alone",
      severity: "error",
      comment: "@steward/postgres knows the driver and the kernel",
      from: { path: "^packages/postgres/" },
      to: { path: "^packages/(?!postgres/|kernel/|protocol/)" },
    },
    {
      name: "state-adapters-are-strangers",
      severity: "error",
      comment:
        "rdf/ and sparql/ of @steward/state see its index.ts, ports.ts and limits.ts, and not each other",
      from: { path: "^packages/state/src/(rdf|sparql)/", pathNot: test },
      to: {
        path: "^packages/state/src/",
        pathNot: ["^packages/state/src/$1/", "^packages/state/src/(index|ports|limits)\\.ts$"],
      },
    },
    oneWay("policies", ["governance", "identity"]),
    {
      name: "transport-meets-no-machinery",
      severity: "error",
      comment: "a transport is given its services; it opens no store, adapter or setting",
      from: { path: `${src}/transport/`, pathNot: test },
      to: {
        path: `${src}/(storage|adapters|config|cli|app)/|${src}/index\\.ts$`,
      },
    },
    {
      name: "machinery-meets-no-transport",
      severity: "error",
      comment: "stores and adapters serve the domain; they know no wire, setting or command line",
      from: { path: `${src}/(storage|adapters)/`, pathNot: test },
      to: {
        path: `${src}/(transport|config|cli|app)/|${src}/index\\.ts$`,
      },
    },
    {
      name: "stores-and-adapters-are-strangers",
      severity: "error",
      comment: "one technology does not lean on another; app/ brings them together",
      from: { path: `${src}/(storage|adapters)/([^/]+)/`, pathNot: test },
      to: {
        path: `${src}/(storage|adapters)/[^/]+/`,
        pathNot: [
          ...[`${src}/$1/$2/`, `${src}/storage/(cold|derivation|plan-changes)/`],
          `${src}/adapters/sql-target/`,
        ],
      },
    },
    {
      name: "config-is-data",
      severity: "error",
      comment: "settings are read before anything is opened",
      from: { path: `${src}/config/`, pathNot: test },
      to: {
        path: `${src}/(storage|adapters|transport|cli|app)/|${src}/index\\.ts$`,
      },
    },
    {
      name: "client-is-light",
      severity: "error",
      comment:
        "the client needs the protocol, the types of the operations, and nothing that is native, a database or a server",
      from: { path: "^packages/client/src/", pathNot: test },
      to: { pathNot: ["^packages/client/src/", "^packages/(protocol|operations)/"] },
    },
    {
      name: "client-loads-no-operations",
      severity: "error",
      comment:
        "a browser loads the client without zod: of the operations it has types, and routes that are written from them",
      from: { path: "^packages/client/src/", pathNot: test },
      to: { path: "^packages/operations/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "console-is-a-client",
      severity: "error",
      comment: "the console does everything through @steward/client, as anybody can",
      from: { path: "^packages/console/" },
      to: { path: "^packages/(?!console/|client/)" },
    },
    {
      name: "nobody-imports-the-console",
      severity: "error",
      comment: "the server serves the console's files; no program is built on them",
      from: { path: "^packages/(?!console/)" },
      to: { path: "^packages/console/" },
    },
    {
      name: "protocol-stands-alone",
      severity: "error",
      comment: "the wire knows nobody who speaks it",
      from: { path: "^packages/protocol/" },
      to: { path: "^packages/(?!protocol/)" },
    },
    {
      name: "operations-stand-alone",
      severity: "error",
      comment:
        "an operation is described without those who serve or call it: of the protocol it knows the error codes",
      from: { path: "^packages/operations/" },
      to: {
        path: "^packages/(?!operations/)",
        pathNot: "^packages/protocol/(src|dist)/index\\.",
      },
    },
    {
      name: "npm-must-be-declared",
      severity: "error",
      comment: "a package is imported only where package.json names it",
      from: {},
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "no-test-in-product",
      severity: "error",
      comment: "what ships does not import tests or development packages",
      from: { path: "^packages/", pathNot: [test, "^packages/test-"] },
      to: { path: "\\.test\\.ts$|^packages/test-" },
    },
    {
      name: "not-to-unresolvable",
      severity: "error",
      comment: "an import that leads nowhere",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "no-orphans",
      severity: "error",
      comment: "a module that nobody imports and that imports nobody",
      from: {
        orphan: true,
        // Other packages import the kernel's files from its build, and knip reports those that none imports.
        pathNot: ["(^|/)index\\.ts$", "\\.d\\.ts$", "^packages/kernel/src/"],
      },
      to: {},
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    doNotFollow: { path: ["node_modules", "/dist/"] },
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["types", "import", "node", "default"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".cjs", ".d.ts", ".json"],
    },
  },
};
