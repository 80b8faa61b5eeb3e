// Writes the published vocabulary from the code that uses it: `npm run build` first.
import { writeFileSync } from "node:fs";
import { shapesTurtle, vocabularyTurtle } from "../dist/index.js";

const path = (file) => new URL(`../vocabulary/${file}`, import.meta.url);
writeFileSync(path("schema.ttl"), vocabularyTurtle());
writeFileSync(path("shapes.ttl"), shapesTurtle());
