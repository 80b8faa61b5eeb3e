import { DatabaseSync } from "@photostructure/sqlite";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_SETTINGS } from "../config/index.js";
import { renewedTlsIdentity, testTlsIdentity } from "../transport/testing/tls-identity.js";
import { runHere } from "./testing/run-here.js";
import { startSteward } from "./testing/steward-process.js";

/** Nothing listens there; set before the tests run. */
let closed: string;

/** A server that answers every request with 401, and one that speaks no HTTP. */
let refusing: string;
let nonsense: string;
const others: Server[] = [];

let cwd: string;
let database: TestDatabase;
let earlierDatabase: TestDatabase;
let urlOf: (role: string) => string;
const prefix = `start_${String(Date.now())}`;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "steward-start-"));
  const write = (name: string, text: string | Buffer): void => {
    writeFileSync(join(cwd, name), text, { mode: 0o600 });
  };
  write("junk", "this is neither a key nor a database ".repeat(50));
  write("cert.pem", testTlsIdentity.cert);
  write("key.pem", testTlsIdentity.key);
  write("other.pem", renewedTlsIdentity.key);
  write("clients.yaml", "clients: []");
  write(
    "tools.yaml",
    "mcp_servers:\n  - name: notes\n    url: https://notes.example/mcp\n    tools:\n      - name: find\n        intent: read_select\n",
  );
  write("tools.pins.json", "{}");
  const { privateKey } = generateKeyPairSync("ed25519");
  write("other-audit.key", privateKey.export({ type: "pkcs8", format: "pem" }));
  mkdirSync(join(cwd, "open"), { mode: 0o755 });
  const newer = new DatabaseSync(join(cwd, "newer.db"));
  newer.exec("PRAGMA user_version = 9999; CREATE TABLE t (a)");
  newer.close();
  const earlier = new DatabaseSync(join(cwd, "earlier.db"));
  earlier.exec("PRAGMA user_version = 31; CREATE TABLE t (a)");
  earlier.close();
  const once = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => once.once("listening", resolve));
  // The address of a TCP server has a port.
  closed = `127.0.0.1:${String((once.address() as AddressInfo).port)}`;
  await new Promise((resolve) => once.close(resolve));
  const answering = async (answer: string): Promise<string> => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end(answer));
    });
    others.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // The address of a TCP server has a port.
    return `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  };
  // Without the header a client may send its next request on the connection that is being closed.
  refusing = await answering(
    "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
  );
  nonsense = await answering("220 mail.example ESMTP\r\n");
  chmodSync(join(cwd, "newer.db"), 0o600);
  chmodSync(join(cwd, "earlier.db"), 0o600);
  database = await freshDatabase();
  earlierDatabase = await freshDatabase();
  await earlierDatabase.query(
    "CREATE TABLE schema_migrations (name text); INSERT INTO schema_migrations VALUES ('v1-plans')",
  );
  const password = "not-a-secret-1";
  await database.query(`
    CREATE ROLE ${prefix}_plain LOGIN PASSWORD '${password}';
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    CREATE ROLE ${prefix}_reading LOGIN PASSWORD '${password}';
    ALTER ROLE ${prefix}_reading SET default_transaction_read_only = on`);
  urlOf = (role) => {
    const url = new URL(database.url);
    [url.username, url.password] = [`${prefix}_${role}`, password];
    return url.href;
  };
});
afterAll(async () => {
  for (const server of others) server.close();
  for (const role of ["plain", "reading"]) await database.query(`DROP ROLE ${prefix}_${role}`);
  await database[Symbol.asyncDispose]();
  await earlierDatabase[Symbol.asyncDispose]();
  rmSync(cwd, { recursive: true });
});

type Env = Readonly<Record<string, string>>;

const SOUND = { SERVICE_DATABASE_URL: "sqlite:store.db", SERVICE_PORT: "0" };

/** What a command says, whether it succeeds or fails. */
async function said(args: readonly string[], env: Env): Promise<string> {
  const { stdout, stderr } = await runHere(args, { cwd, env: { ...SOUND, ...env } });
  return stdout + stderr;
}

interface Broken {
  readonly what: string;
  readonly env: () => Env;
  /** Who failed, where, and the words of whoever failed. */
  readonly culprit: RegExp;
  readonly fix: RegExp;
}

const tls = (more: Env = {}): Env => ({
  SERVICE_TLS_CERT: "cert.pem",
  SERVICE_TLS_KEY: "key.pem",
  ...more,
});

const REFUSED: readonly Broken[] = [
  {
    what: "a data directory that cannot be created",
    env: () => ({ SERVICE_DATA_DIR: "/dev/null/x" }),
    culprit: /data dir.* \/dev\/null\/x cannot be written: E[A-Z]+/,
    fix: /SERVICE_DATA_DIR/,
  },
  {
    what: "a data directory that others may read",
    env: () => ({ SERVICE_DATA_DIR: "open" }),
    culprit: /data dir.* open \(mode 755\)/,
    fix: /chmod 700 open/,
  },
  {
    what: "a store where nothing listens",
    env: () => ({ SERVICE_DATABASE_URL: `postgres://u:hidden@${closed}/db` }),
    culprit:
      /database.* postgres:\/\/u:\*\*\*@127\.0\.0\.1:\d+\/db: connect ECONNREFUSED 127\.0\.0\.1:\d+/,
    fix: /start the database server there, or correct the host and the port in SERVICE_DATABASE_URL/,
  },
  {
    what: "a store whose database does not exist",
    env: () => ({ SERVICE_DATABASE_URL: database.url.replace(/\/[^/?]+(\?|$)/, "/no_such_db$1") }),
    culprit: /database.* postgres.*: database "no_such_db" does not exist/,
    fix: /create the database on the server, or correct its name in SERVICE_DATABASE_URL/,
  },
  {
    what: "a store whose role may not create tables",
    env: () => ({ SERVICE_DATABASE_URL: urlOf("plain") }),
    culprit: /database.*: role start_\d+_plain may not create tables in schema public of database /,
    fix: /GRANT CREATE ON SCHEMA "public" TO "start_\d+_plain"/,
  },
  {
    what: "a store whose role only reads",
    env: () => ({ SERVICE_DATABASE_URL: urlOf("reading") }),
    culprit: /database.*: the server accepts no writes/,
    fix: /RESET default_transaction_read_only/,
  },
  {
    what: "a store that is no database",
    env: () => ({ SERVICE_DATABASE_URL: "sqlite:junk" }),
    culprit: /database.* junk is not an SQLite database/,
    fix: /SERVICE_DATABASE_URL/,
  },
  {
    what: "a store in a directory that cannot be created",
    env: () => ({ SERVICE_DATABASE_URL: "sqlite:/dev/null/x/store.db" }),
    culprit: /database.* \/dev\/null\/x cannot be written: E[A-Z]+/,
    fix: /SERVICE_DATABASE_URL/,
  },
  {
    what: "a store of a newer program",
    env: () => ({ SERVICE_DATABASE_URL: "sqlite:newer.db" }),
    culprit: /database.* schema version 9999, this program knows up to /,
    fix: /SERVICE_DATABASE_URL/,
  },
  {
    what: "a store of an earlier version",
    env: () => ({ SERVICE_DATABASE_URL: "sqlite:earlier.db" }),
    culprit: /database.* schema version 31 of an earlier version of steward/,
    fix: /keep using the version .* with its steward copy .*or name another data directory/,
  },
  {
    what: "a store of an earlier version on PostgreSQL",
    env: () => ({ SERVICE_DATABASE_URL: earlierDatabase.url }),
    culprit: /database.* migration v1-plans of an earlier version of steward/,
    fix: /keep using the version .*or name an empty database/,
  },
  {
    what: "a data source that does not exist",
    env: () => ({ SERVICE_DATA_SOURCES: "a=gone.db" }),
    culprit: /data source a.* the file gone\.db does not exist/,
    fix: /SERVICE_DATA_SOURCES/,
  },
  {
    what: "a data source that is no database",
    env: () => ({ SERVICE_DATA_SOURCES: "a=junk" }),
    culprit: /data source a.* junk is not an SQLite database/,
    fix: /SERVICE_DATA_SOURCES/,
  },
  {
    what: "a TLS key of another certificate",
    env: () => tls({ SERVICE_TLS_KEY: "other.pem" }),
    culprit:
      /SERVICE_TLS_KEY: other\.pem cannot be used: it does not belong to the certificate cert\.pem/,
    fix: /matching pair in SERVICE_TLS_CERT and SERVICE_TLS_KEY/,
  },
  {
    what: "a TLS key that is none",
    env: () => tls({ SERVICE_TLS_KEY: "junk" }),
    culprit: /SERVICE_TLS_KEY: junk cannot be used: .*DECODER/,
    fix: /SERVICE_TLS_KEY/,
  },
  {
    what: "a TLS certificate that is none",
    env: () => tls({ SERVICE_TLS_CERT: "junk" }),
    culprit: /SERVICE_TLS_CERT: junk cannot be used: .*PEM/,
    fix: /SERVICE_TLS_CERT/,
  },
  {
    what: "authorities of clients that are none",
    env: () => tls({ SERVICE_TLS_CLIENT_CA: "junk" }),
    culprit: /SERVICE_TLS_CLIENT_CA: junk cannot be used: .*PEM/,
    fix: /SERVICE_TLS_CLIENT_CA/,
  },
  {
    what: "known clients that are no list",
    env: () =>
      tls({
        SERVICE_AUTH: "mtls",
        SERVICE_TLS_CLIENT_CA: "cert.pem",
        SERVICE_MTLS_CLIENTS: "junk",
      }),
    culprit: /SERVICE_MTLS_CLIENTS: junk: must /,
    fix: /correct the file/,
  },
  {
    what: "an audit key that is none",
    env: () => ({ SERVICE_AUDIT_KEY_FILE: "junk" }),
    culprit: /audit key.* is not an Ed25519 private key/,
    fix: /SERVICE_AUDIT_KEY_FILE/,
  },
  {
    what: "an audit key that is not there",
    env: () => ({ SERVICE_AUDIT_KEY_FILE: "gone.key" }),
    culprit: /audit key.* cannot be read from gone\.key/,
    fix: /SERVICE_AUDIT_KEY_FILE/,
  },
  {
    what: "authorities of the export that are none",
    env: () => ({ SERVICE_AUDIT_EXPORT: "https://siem.example", SERVICE_AUDIT_EXPORT_CA: "junk" }),
    culprit: /audit export.* junk: .*PEM/,
    fix: /SERVICE_AUDIT_EXPORT_CA/,
  },
  {
    what: "an export to a file that cannot be written",
    env: () => ({ SERVICE_AUDIT_EXPORT: "file:/dev/null/x/audit.log" }),
    culprit: /audit export.* \/dev\/null\/x cannot be written: E[A-Z]+/,
    fix: /SERVICE_AUDIT_EXPORT/,
  },
  {
    what: "pins that are none",
    env: () => ({ SERVICE_TOOLS_FILE: "tools.yaml" }),
    culprit: /MCP tools.* tools\.pins\.json cannot be used/,
    fix: /steward tools pin/,
  },
];

/** A verifier key of a witness, as C2SP writes it. */
const WITNESS_KEY = "Wit1+4dd489c8+BDd/u4KCwMnyfkbOqopYZJIGSuMxMnjGav6Pjb9W8Y3c";

/** Settings with an MCP server and a witness at an address. */
function peersAt(address: string): Readonly<Record<string, string>> {
  const file = join(cwd, `tools-${address}.yaml`);
  const server = `  - name: notes\n    url: http://${address}/mcp?key=hidden\n    tools:\n      - name: find\n        intent: read_select\n`;
  writeFileSync(file, `mcp_servers:\n${server}`, { mode: 0o600 });
  return {
    SERVICE_TOOLS_FILE: file,
    SERVICE_AUDIT_WITNESSES: `${WITNESS_KEY} http://${address}/w`,
  };
}

function exportsAt(address: string): string {
  return `syslog+tcp://${address},http://${address}/hidden`;
}

/** What may be away for a while, so that a server starts and says so. */
const WARNED: readonly (Broken & {
  /** Rows of one server have settings that do not contradict each other: a start takes more than a second. */
  readonly server: number;
})[] = [
  {
    server: 0,
    what: "data sources where nothing listens, for steps and for migrations",
    env: () => ({
      SERVICE_DATA_SOURCES: `crm=postgres://u:hidden@${closed}/crm`,
      SERVICE_MIGRATION_URLS: `crm=postgres://u:hidden@${closed}/own`,
    }),
    culprit: /data source crm.*@127\.0\.0\.1:\d+\/crm: connect ECONNREFUSED/,
    fix: /the host and the port in SERVICE_DATA_SOURCES[^]*the host and the port in SERVICE_MIGRATION_URLS/,
  },
  {
    server: 1,
    what: "a role that can neither create nor use the table of markers",
    env: () => ({ SERVICE_DATA_SOURCES: `crm=${urlOf("plain")}` }),
    culprit:
      /data source crm.* the table _steward_steps is missing, and the role may not create it/,
    fix: /CREATE TABLE IF NOT EXISTS _steward_steps \([^]*GRANT SELECT, INSERT, UPDATE, DELETE ON _steward_steps/,
  },
  {
    server: 2,
    what: "a data source that is bound to no organization, where callers are authenticated",
    env: () => ({ SERVICE_AUTH: "apikey", SERVICE_DATA_SOURCES: `kept=${join(cwd, "newer.db")}` }),
    culprit: /data source kept.*no caller may use it/,
    fix: /SERVICE_ORGANIZATION/,
  },
  {
    server: 1,
    what: "an OpenID provider where nothing listens",
    env: () => ({
      SERVICE_AUTH: "jwt",
      SERVICE_JWT_ISSUER: `http://${closed}`,
      SERVICE_JWT_AUDIENCE: "steward",
    }),
    culprit:
      /OpenID provider.*http:\/\/127\.0\.0\.1:\d+\/\.well-known\/openid-configuration cannot be read \(.*ECONNREFUSED/,
    fix: /SERVICE_JWT_ISSUER/,
  },
  {
    server: 0,
    what: "an embedding provider where nothing listens",
    env: () => ({
      SERVICE_EMBEDDING_PROVIDER: "openai",
      SERVICE_EMBEDDING_MODEL: "m",
      SERVICE_EMBEDDING_BASE_URL: `http://${closed}/v1`,
    }),
    culprit: /embedding provider.*openai at http:\/\/127\.0\.0\.1:\d+\/v1: .*ECONNREFUSED/,
    fix: /SERVICE_EMBEDDING_BASE_URL/,
  },
  {
    server: 0,
    what: "no listener at an MCP server, a witness and receivers of the audit log",
    env: () => ({ ...peersAt(closed), SERVICE_AUDIT_EXPORT: exportsAt(closed) }),
    culprit:
      /MCP server notes[^]*http:\/\/127\.0\.0\.1:\d+\/mcp: it cannot be reached \(ECONNREFUSED\)/,
    fix: /witness Wit1[^]*ECONNREFUSED[^]*SERVICE_AUDIT_WITNESSES[^]*syslog\+tcp:[^]*ECONNREFUSED[^]*SERVICE_AUDIT_EXPORT[^]*http:[^]*ECONNREFUSED/,
  },
  {
    server: 1,
    what: "401 of an MCP server, a witness and a receiver of the audit log",
    env: () => ({ ...peersAt(refusing), SERVICE_AUDIT_EXPORT: `http://${refusing}/hidden` }),
    culprit: /MCP server notes[^]*it refuses the credential \(HTTP 401\)/,
    fix: /witness Wit1[^]*HTTP 401[^]*SERVICE_AUDIT_WITNESSES[^]*the collector answered 401[^]*SERVICE_AUDIT_EXPORT_HEADER/,
  },
  {
    server: 2,
    what: "nonsense of an MCP server, a witness and a receiver of the audit log",
    env: () => ({ ...peersAt(nonsense), SERVICE_AUDIT_EXPORT: `http://${nonsense}/hidden` }),
    culprit: /MCP server notes[^]*http:\/\/127\.0\.0\.1:\d+\/mcp: [^]*tools file/,
    fix: /witness Wit1[^]*HPE_[^]*SERVICE_AUDIT_WITNESSES[^]*no answer of the collector \(HPE_/,
  },
  {
    server: 0,
    what: "a payment provider where nothing listens",
    env: () => ({ PAYMENT_SECRET_KEY: "sk_test_hidden", PAYMENT_API_BASE: `http://${closed}` }),
    culprit: /payment provider.*http:\/\/127\.0\.0\.1:\d+: .*cannot be reached/,
    fix: /PAYMENT_API_BASE/,
  },
];

describe("serve, doctor and migrate --dry-run name the same culprit and the fix", () => {
  it.each(REFUSED)("for $what", async ({ env, culprit, fix }) => {
    for (const args of [["serve"], ["doctor"], ["migrate", "--dry-run"]]) {
      const text = await said(args, env());
      expect(text, args.join(" ")).toMatch(culprit);
      expect(text, args.join(" ")).toMatch(fix);
      expect(text).not.toContain("hidden");
    }
  });

  it.each(WARNED)("for $what, with which a server starts", async ({ env, culprit, fix }) => {
    for (const args of [["doctor"], ["migrate", "--dry-run"]]) {
      const text = await said(args, env());
      expect(text, args.join(" ")).toMatch(culprit);
      expect(text, args.join(" ")).toMatch(fix);
      expect(text).not.toContain("hidden");
    }
  });

  it.each([0, 1, 2])(
    "for what may be away, all at once, in a server that starts (%i)",
    async (number) => {
      const rows = WARNED.filter(({ server }) => server === number);
      const env = Object.fromEntries(rows.flatMap((row) => Object.entries(row.env())));
      await using server = startSteward(["serve"], {
        cwd: mkdtempSync(join(cwd, "warned-")),
        env: { ...SOUND, ...env },
      });
      for (const pattern of rows.flatMap(({ culprit, fix }) => [culprit, fix]))
        expect(await server.said("stderr", pattern)).not.toContain("hidden");
      await server.said("stdout", /ready/);
    },
    60_000,
  );

  it("for an audit log that another key signs", async () => {
    const other = mkdtempSync(join(cwd, "signed-"));
    const env = { ...SOUND, SERVICE_DATA_DIR: ".steward" };
    await using server = startSteward(["serve"], { cwd: other, env });
    await server.said("stdout", /ready/);
    server.process.kill("SIGTERM");
    await server.ended;
    const wrong = { ...env, SERVICE_AUDIT_KEY_FILE: join(cwd, "other-audit.key") };
    for (const args of [["serve"], ["doctor"], ["migrate", "--dry-run"]]) {
      const { stdout, stderr } = await runHere(args, { cwd: other, env: wrong });
      expect(stdout + stderr).toMatch(/audit key.* is signed with another key/);
    }
  });

  it.each(["127.0.0.1", "203.0.113.1"])("for an address without a free port: %s", async (host) => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const port = String((taken.address() as AddressInfo).port);
    const env = {
      SERVICE_HOST: host,
      SERVICE_PORT: port,
      SERVICE_TRUSTED_PROXIES: "127.0.0.1",
      SERVICE_DATABASE_URL: `sqlite:${host}.db`,
    };
    for (const args of [["serve"], ["doctor"]]) {
      expect(await said(args, env)).toContain(`${host}:${port}`);
    }
    taken.close();
  });

  it("for every setting with a value that it cannot have", async () => {
    const broken = ALL_SETTINGS.map((setting) => {
      const value = ["\0", "-1", "a b", ","].find((each) => setting.type.parse(each) === undefined);
      return [setting.name, value] as const;
    });
    expect(broken.filter(([, value]) => value === undefined)).toEqual([]);
    const env = Object.fromEntries(broken.map(([name, value]) => [name, value ?? ""]));
    for (const args of [["serve"], ["doctor"], ["migrate", "--dry-run"]]) {
      const text = await said(args, { ...env, SERVICE_PORT: "x" });
      for (const { name } of ALL_SETTINGS)
        expect(text).toMatch(new RegExp(`${name}: .*(fix|set|expected)`));
    }
  });
});
