/** The Emscripten module of libpg_query. The package's own types describe only its wrapper. */
declare module "libpg-query/wasm/libpg-query.js" {
  export interface PgQueryModule {
    readonly HEAPU8: Uint8Array;
    getValue(pointer: number, type: "i32"): number;
    UTF8ToString(pointer: number): string;
    stringToUTF8(text: string, pointer: number, bytesMax: number): void;
    lengthBytesUTF8(text: string): number;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    _wasm_parse_query_raw(text: number): number;
    _wasm_free_parse_result(result: number): void;
  }

  export interface WasmInstance {
    readonly exports: object;
  }

  interface InstantiateOptions {
    /** Instantiates an already compiled module. */
    instantiateWasm(imports: object, receive: (instance: WasmInstance) => void): object;
  }

  export default function instantiate(options: InstantiateOptions): Promise<PgQueryModule>;
}
