import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentLog } from "@steward/kernel/log.js";
import { namesOf } from "./certificate-names.js";
import { KnownClients } from "./known-clients.js";
import {
  adaClient,
  agentClient,
  nobodyClient,
  oddClient,
} from "@steward/kernel/testing/client-certificates.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const directory = mkdtempSync(join(tmpdir(), "steward-mtls-"));
const file = join(directory, "clients.yaml");
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const certificate = ({ cert }: { readonly cert: string }) => new X509Certificate(cert);

function known(clients: string, clock = systemClock): KnownClients {
  writeFileSync(file, `clients:\n${clients}`);
  return new KnownClients({ file, clock, log: silentLog });
}

const AGENT = `
  - uri: spiffe://example.com/invoice-agent
    org: ${ORG.toUpperCase()}
    agent: invoice-agent
    user: ada
    roles: [agent]
`;

describe("clients known by their certificates", () => {
  it("are read as docs/authentication.md writes them", () => {
    const document = new URL("../../../../../docs/authentication.md", import.meta.url);
    const [, example = ""] = /```yaml\n(.*?)```/s.exec(readFileSync(document, "utf8")) ?? [];
    writeFileSync(file, example);
    const clients = new KnownClients({ file, clock: systemClock, log: silentLog });
    expect(clients.verify(certificate(agentClient))).toMatchObject({
      ...{ orgId: ORG, kind: "agent", agentId: "invoice-agent", userId: "ada", roles: ["agent"] },
    });
  });

  it("are an agent with the person it acts for, or a person", () => {
    const clients = known(`${AGENT}
  - subject: O=Example\\, Inc.,CN=Ada
    org: ${ORG}
    user: ada
    roles: [admin]
    permissions: ["manage:billing"]
`);
    expect(clients.verify(certificate(agentClient))).toEqual({
      ...{ orgId: ORG, kind: "agent", authenticatedBy: "mtls" },
      ...{ agentId: "invoice-agent", userId: "ada", roles: ["agent"], permissions: [] },
    });
    expect(clients.verify(certificate(adaClient))).toEqual({
      ...{ orgId: ORG, kind: "person", authenticatedBy: "mtls" },
      ...{ userId: "ada", roles: ["admin"], permissions: ["manage:billing"] },
    });
  });

  it.each([
    ["subject: O=Example,CN=invoice-agent", agentClient],
    ["dns: agents.example.com", agentClient],
    ["email: ada@example.com", adaClient],
  ])("are found by %s", (name, client) => {
    const clients = known(`  - { ${name.replace(": ", ': "')}", org: "${ORG}", user: ada }`);
    expect(clients.verify(certificate(client))).toMatchObject({ orgId: ORG, userId: "ada" });
  });

  it("are refused when nobody has such a certificate, and told its names", () => {
    const clients = known(AGENT);
    expect(() => clients.verify(certificate(nobodyClient))).toThrow(
      "The client certificate is not listed in the file of known clients; its names are subject:CN=nobody",
    );
  });

  it("are not known by a name that is part of another one", () => {
    expect(namesOf(certificate(oddClient))).toEqual([
      "subject:CN=odd",
      "uri:spiffe://x/a, URI:spiffe://example.com/invoice-agent",
    ]);
    const clients = known(AGENT);
    expect(() => clients.verify(certificate(oddClient))).toThrow(
      /not listed in the file of known clients/,
    );
  });

  it("are refused when two of their names are known, for they could be two clients", () => {
    const clients = known(`${AGENT}
  - dns: agents.example.com
    org: ${ORG}
`);
    expect(() => clients.verify(certificate(agentClient))).toThrow(/by its names: uri:.* and dns:/);
  });

  it("are refused when their certificate has expired since they connected", () => {
    const clients = known(AGENT, { ...systemClock, nowMs: () => Date.UTC(2200, 0, 1) });
    expect(() => clients.verify(certificate(agentClient))).toThrow(/has expired/);
  });

  it("are those of the file as it is read anew; a wrong file changes nothing", () => {
    const clients = known(AGENT);
    writeFileSync(file, "clients: [{}]");
    clients.reload();
    expect(clients.verify(certificate(agentClient))).toMatchObject({ agentId: "invoice-agent" });
    writeFileSync(file, "clients: []");
    clients.reload();
    expect(() => clients.verify(certificate(agentClient))).toThrow(
      /not listed in the file of known clients/,
    );
  });

  it.each([
    ["org: x, user: ada, dns: a", "clients[0].org: must be the UUID of the organization"],
    [
      `org: ${ORG}`,
      "clients[0]: must name the certificate by exactly one of subject, uri, dns, email",
    ],
    [`org: ${ORG}, dns: a, uri: b`, "clients[0]: must name the certificate by exactly one of"],
    [
      `org: ${ORG}, dns: a, role: admin`,
      "clients[0]: may hold subject, uri, dns, email, org, user",
    ],
    [`org: ${ORG}, dns: a, roles: admin`, "clients[0].roles: must be a list of names"],
    [
      `org: ${ORG}, dns: a, roles: ["\u00e4dmin"]`,
      "clients[0].roles[0]: must be 1 to 128 visible characters",
    ],
    ["dns: [", "at line 2"],
  ])("say what is wrong with their file: %s", (client, message) => {
    expect(() => known(`  - { ${client} }`)).toThrow(message);
  });
});
