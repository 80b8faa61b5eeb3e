/**
 * Assembles kernel.wat into the module that ships. `--check` writes nothing and fails when what is
 * committed is not what would be written.
 */
import { readFile, writeFile } from "node:fs/promises";
import openWabt from "wabt";

const room = new URL("../src/adapters/vector-index-wasm/", import.meta.url);
const source = new URL("kernel.wat", room);
const target = new URL("kernel-wasm.ts", room);

const wabt = await openWabt();
const module = wabt.parseWat("kernel.wat", await readFile(source, "utf8"), { simd: true });
module.validate({ simd: true });
const { buffer } = module.toBinary({});
const lines = Buffer.from(buffer)
  .toString("base64")
  .match(/.{1,90}/g);
const text = [
  "// Assembled from kernel.wat by `npm run wasm`; never edited by hand.",
  "",
  "/** The module of `kernel.wat`, base64. */",
  "export const KERNEL_WASM: string = [",
  ...lines.map((line) => `  "${line}",`),
  '].join("");',
  "",
].join("\n");

if (!process.argv.includes("--check")) {
  await writeFile(target, text);
} else if ((await readFile(target, "utf8")) !== text) {
  console.error("kernel-wasm.ts is not what kernel.wat assembles to: npm run wasm");
  process.exitCode = 1;
}
