import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { snippetsOf } from "./markdown.js";
import { runSnippets } from "./sandbox.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * The README's snippets run against a server with TLS; only the addresses and the trusted
 * certificate differ.
 */
it("the snippets of README.md do what they say over TLS", { timeout: 600_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "steward-tls-"));
  try {
    const { cert, key } = makeCertificate(folder);
    const snippets = snippetsOf("README.md", readFileSync(join(root, "README.md"), "utf8"));
    const { code, output } = await runSnippets(root, snippets, {
      scheme: "https",
      files: ["steward/.keep", "shop/shop.db"],
      env: {
        SERVICE_TLS_CERT: cert,
        SERVICE_TLS_KEY: key,
        CURL_CA_BUNDLE: cert,
        NODE_EXTRA_CA_CERTS: cert,
      },
      replace: {
        "http://": "https://",
        " localhost:": " https://localhost:",
        "--http2-prior-knowledge": `--cacert ${cert}`,
      },
    });
    expect(code, output).toBe(0);
    expect(output).toMatch(/"score":0\.[1-9]/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Makes a certificate for this machine, as a reader would. */
function makeCertificate(folder: string): { readonly cert: string; readonly key: string } {
  const [cert, key] = [join(folder, "server.pem"), join(folder, "server.key")];
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
      ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
      ...["-days", "2", "-out", cert, "-keyout", key],
    ],
    { stdio: "pipe" },
  );
  return { cert, key };
}
