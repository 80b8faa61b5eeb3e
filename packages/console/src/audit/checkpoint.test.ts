import { describe, expect, it } from "vitest";
import { checkpointOf, isSignedBy, verifierKeyOf } from "./checkpoint.js";
import { sha256 } from "./merkle.js";

const NAME = "steward.example.com/audit";
const encode = (text: string) => new TextEncoder().encode(text);
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

/** A key in its text form, and what it signs, as C2SP signed-note defines both. */
async function signer(name = NAME) {
  const { publicKey, privateKey } = await crypto.subtle.generateKey("Ed25519", true, [
    "sign",
    "verify",
  ]);
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
  const typed = Uint8Array.of(1, ...raw);
  const keyId = (await sha256(encode(`${name}\n`), typed)).slice(0, 4);
  return {
    key: `${name}+${Buffer.from(keyId).toString("hex")}+${base64(typed)}`,
    note: async (text: string) => {
      const signature = new Uint8Array(
        await crypto.subtle.sign("Ed25519", privateKey, encode(text)),
      );
      return `${text}\n— ${name} ${base64(Uint8Array.of(...keyId, ...signature))}\n`;
    },
  };
}

const text = `${NAME}\n42\n${base64(new Uint8Array(32))}\n`;

describe("a checkpoint", () => {
  it("is read from its note, also without the last newline, and verified with the log's key", async () => {
    const { key, note } = await signer();
    const checkpoint = checkpointOf((await note(text)).trim());
    const known = await verifierKeyOf(` ${key}\n`);
    expect(checkpoint).toMatchObject({ origin: NAME, size: 42, text });
    expect(checkpoint && known && (await isSignedBy(checkpoint, known))).toBe(true);
  });

  it("does not verify when its text was changed, or another key has signed it", async () => {
    const { key, note } = await signer();
    const known = await verifierKeyOf(key);
    const changed = checkpointOf((await note(text)).replace("\n42\n", "\n41\n"));
    const strange = checkpointOf(await (await signer()).note(text));
    expect(changed && known && (await isSignedBy(changed, known))).toBe(false);
    expect(strange && known && (await isSignedBy(strange, known))).toBe(false);
  });

  it("is not made of any other text", async () => {
    for (const each of ["", "hello", "a\nb\nc\n\n— x AAAAAAAA\n", `${text}\nno signature\n`]) {
      expect(checkpointOf(each)).toBeUndefined();
    }
    for (const each of ["", "name+00000000+AQ==", (await signer()).key.replace("+", "x+")]) {
      expect(await verifierKeyOf(each)).toBeUndefined();
    }
  });
});
