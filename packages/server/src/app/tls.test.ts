import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { openApp } from "./app.js";
import { TlsRenewal } from "./tls.js";
import type { TlsIdentity } from "../transport/one-port/port.js";
import { silentLog } from "@steward/kernel/log.js";
import { renewedTlsIdentity, testTlsIdentity } from "../transport/testing/tls-identity.js";

const directory = mkdtempSync(join(tmpdir(), "steward-tls-"));
const files = { certFile: join(directory, "cert.pem"), keyFile: join(directory, "key.pem") };
afterAll(() => {
  rmSync(directory, { recursive: true });
});

function write({ cert, key }: TlsIdentity): void {
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key);
}

beforeEach(() => {
  write(testTlsIdentity);
});

/** The certificate subject that a new connection gets. */
function subjectAt(port: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const options = { port, host: "127.0.0.1", rejectUnauthorized: false };
    const socket = connect(options, () => {
      resolve(socket.getPeerCertificate().subject.CN);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

describe("a renewed TLS certificate", () => {
  it("is shown to new connections once it is asked for; a wrong one changes nothing", async () => {
    await using app = await openApp({ port: 0, logLevel: "silent", tls: files, grpcPort: 0 });
    const { port, grpcPort } = app.address;
    expect(await subjectAt(port)).toBe("localhost");
    write({ ...renewedTlsIdentity, key: testTlsIdentity.key });
    app.reload();
    expect(await subjectAt(port)).toBe("localhost");
    write(renewedTlsIdentity);
    app.reload();
    expect(await subjectAt(port)).toBe("renewed");
    expect(await subjectAt(grpcPort)).toBe("renewed");
  });

  it("is found when its files change", async () => {
    const used: TlsIdentity[] = [];
    const use = (identity: TlsIdentity) => void used.push(identity);
    using _renewal = new TlsRenewal({ files, log: silentLog, use, checkMs: 20 });
    // Written repeatedly until it is noticed: the watcher first reads the files, and an early
    // change may come before that.
    await expect
      .poll(() => {
        write(renewedTlsIdentity);
        return String(used.at(-1)?.key);
      })
      .toBe(renewedTlsIdentity.key);
  });
});
