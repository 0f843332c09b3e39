// Bundles the extension into out/extension.js; with --tests the unit tests into out/test/, with --watch on every change.
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const tests = process.argv.includes("--tests");

/** @type {esbuild.BuildOptions} */
const common = { absWorkingDir: root, bundle: true, platform: "node", target: "node20", format: "cjs", logLevel: "warning" };

if (tests) {
  rmSync(`${root}out/test`, { recursive: true, force: true });
  const entryPoints = readdirSync(`${root}test`).filter((name) => name.endsWith(".test.ts")).map((name) => `test/${name}`);
  await esbuild.build({ ...common, entryPoints, outdir: "out/test", packages: "external", sourcemap: "inline" });
} else {
  const options = { ...common, entryPoints: ["src/extension.ts"], outfile: "out/extension.js", external: ["vscode"], minify: true, sourcemap: false };
  if (process.argv.includes("--watch")) {
    await (await esbuild.context(options)).watch();
  } else {
    await esbuild.build(options);
  }
}
