import openWabt from "wabt";

/** Only reads a memory completely, four 16-byte lanes at a time. */
const READER = `(module
  (memory (export "memory") 1 65536)
  (func (export "read") (param $at i32) (param $end i32) (result i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (loop $next
      (local.set $a (v128.or (local.get $a) (v128.load (local.get $at))))
      (local.set $b (v128.or (local.get $b) (v128.load offset=16 (local.get $at))))
      (local.set $c (v128.or (local.get $c) (v128.load offset=32 (local.get $at))))
      (local.set $d (v128.or (local.get $d) (v128.load offset=48 (local.get $at))))
      (local.set $at (i32.add (local.get $at) (i32.const 64)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $end))))
    (i32x4.extract_lane 0
      (v128.or (v128.or (local.get $a) (local.get $b)) (v128.or (local.get $c) (local.get $d))))))`;

interface Reader {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  read(at: number, end: number): number;
}

/**
 * The part of the WebAssembly API that this file uses. TypeScript declares the API only for
 * browsers.
 */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

/**
 * A function that measures reading this many bytes at memory speed, in ms: a lower bound for every
 * search that reads the float32 vectors.
 */
export async function makeStream(bytes: number): Promise<() => number> {
  const wabt = await openWabt();
  const { buffer } = wabt.parseWat("reader.wat", READER, { simd: true }).toBinary({});
  const api = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly;
  const reader = new api.Instance(new api.Module(buffer)).exports as Reader;
  reader.memory.grow(Math.ceil(bytes / 65_536));
  // A page that was never written to is not in memory yet.
  new Uint8Array(reader.memory.buffer).fill(1);
  return () => {
    const startedAt = performance.now();
    reader.read(0, bytes);
    return performance.now() - startedAt;
  };
}
