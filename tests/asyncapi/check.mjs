// The AsyncAPI document, read by the official parser: each error and warning is printed, and either fails.
//
//     node check.mjs FILE

import { readFileSync } from "node:fs";
import { Parser } from "@asyncapi/parser";

const SEVERITIES = ["error", "warning"]; // what is less is advice
const [file] = process.argv.slice(2);
const { document, diagnostics } = await new Parser().parse(readFileSync(file, "utf8"), { source: file });
const wrong = diagnostics.filter(({ severity }) => severity < SEVERITIES.length);
for (const { severity, path, message } of wrong) console.error(`${file}: ${SEVERITIES[severity]} at /${path.join("/")}: ${message}`);
if (document === undefined || wrong.length > 0) process.exit(1);
console.log(`${file}: ${document.operations().length} operations, ${document.allMessages().length} messages, no error and no warning`);
