export { OxigraphEngine } from "./oxigraph-engine.js";
