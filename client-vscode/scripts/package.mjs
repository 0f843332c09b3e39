// Packages the extension: wheel of the server with its locked dependencies, bundle, VSIX.
// usage: node scripts/package.mjs [OUT.vsix]; the version is package.json's.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const repository = path.join(root, "..");
const bundle = path.join(root, "server");
const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
const out = path.resolve(process.argv[2] ?? path.join(root, `callwright-${version}.vsix`));
const uv = process.env.UV ?? "uv";

/** @param {string} command @param {string[]} args @param {string} cwd */
function run(command, args, cwd) {
  console.log(`$ ${path.basename(command)} ${args.join(" ")}`);
  execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}

rmSync(bundle, { recursive: true, force: true });
mkdirSync(bundle);
run(uv, ["build", "--quiet", "--wheel", "--out-dir", bundle], repository);
rmSync(path.join(bundle, ".gitignore"), { force: true });
// With hashes: what is installed on a user's machine is what was locked here.
run(uv, ["export", "--quiet", "--frozen", "--no-dev", "--no-emit-project", "--no-header", "--output-file", path.join(bundle, "requirements.txt")], repository);
run(process.execPath, [path.join(root, "scripts", "build.mjs")], root);
copyFileSync(path.join(repository, "LICENSE"), path.join(root, "LICENSE"));
const vsce = path.join(path.dirname(createRequire(import.meta.url).resolve("@vscode/vsce/package.json")), "vsce");
mkdirSync(path.dirname(out), { recursive: true });
run(process.execPath, [vsce, "package", "--no-dependencies", "--skip-license", "--allow-missing-repository", "--no-rewrite-relative-links", "--out", out], root);
console.log(out);
