// Packages the extension twice: for every platform, and for Linux on x86-64 with all that the server depends on inside.
// usage: node scripts/package.mjs [OUT.vsix]; the second package is written beside it, as OUT-linux-x64.vsix.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const repository = path.join(root, "..");
const scripts = path.join(root, "scripts");
const bundle = path.join(root, "server");
const wheels = path.join(bundle, "wheels");
const requirements = path.join(bundle, "requirements.txt");
const installer = path.join(scripts, "installer.txt");
const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
const out = path.resolve(process.argv[2] ?? path.join(root, `callwright-${version}.vsix`));
const uv = process.env.UV ?? "uv";
const cache = path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), ".cache"), "callwright");

const LINUX = "linux-x64";
/** The editor itself asks for glibc 2.28 on Linux. */
const PLATFORMS = ["manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_26_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"];
/** Versions of Python whose packages are carried: those that the server says it supports. */
const PYTHONS = [...readFileSync(path.join(repository, "pyproject.toml"), "utf8").matchAll(/"Programming Language :: Python :: (3\.\d+)"/g)].map(([, python]) => String(python));

/** @param {string} command @param {string[]} args @param {string} cwd @param {"inherit" | "ignore"} errors */
function run(command, args, cwd, errors = "inherit") {
  console.log(`$ ${[path.basename(command), ...args].join(" ").slice(0, 160)}`);
  execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", errors] });
}

/** @param {string[]} args @param {"inherit" | "ignore"} [errors] */
function python(args, errors) {
  run(uv, ["run", "--quiet", "--no-project", "--no-python-downloads", "--python", ">=3.11", "--with-requirements", installer, "python", ...args], root, errors);
}

/** Put the locked wheels that these arguments ask for into a folder; the hashes are checked. @param {string} folder @param {string} list @param {string[]} args */
function download(folder, list, args) {
  const key = createHash("sha256").update(readFileSync(list)).update(args.join(" ")).digest("hex").slice(0, 12);
  const kept = path.join(cache, `wheels-${key}`);
  const pip = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes", "--only-binary=:all:", ...args, "-r", list];
  mkdirSync(folder, { recursive: true });
  try {
    python([...pip, "--no-index", "--find-links", kept, "--dest", folder], "ignore");
  } catch {
    mkdirSync(kept, { recursive: true });
    python([...pip, "--dest", kept]);
    python([...pip, "--no-index", "--find-links", kept, "--dest", folder]);
  }
}

/** Folders of the Node packages that the extension's bundle holds. */
async function bundled() {
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: ["src/extension.ts"],
    outfile: "out/extension.js",
    external: ["vscode"],
    platform: "node",
    bundle: true,
    write: false,
    metafile: true,
  });
  const folders = Object.keys(metafile.inputs).map((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort().map((folder) => path.join(root, folder));
}

/** Write what is bundled, with its licences, then pack. @param {string} file @param {string[]} node @param {string[]} args */
function pack(file, node, args) {
  const carried = [path.join(bundle, "pip"), wheels].flatMap((folder) => {
    try {
      return readdirSync(folder).map((name) => path.join(folder, name));
    } catch {
      return [];
    }
  });
  python([path.join(scripts, "notices.py"), "--version", version, "--folder", root, "--node", ...node, "--wheels", ...carried]);
  const vsce = path.join(path.dirname(createRequire(import.meta.url).resolve("@vscode/vsce/package.json")), "vsce");
  // Relative links would be wrong on the registries' pages, and a test holds that there are none.
  run(process.execPath, [vsce, "package", "--no-dependencies", "--no-rewrite-relative-links", ...args, "--out", file], root);
  console.log(file);
}

rmSync(bundle, { recursive: true, force: true });
mkdirSync(bundle);
run(uv, ["build", "--quiet", "--wheel", "--out-dir", bundle], repository);
rmSync(path.join(bundle, ".gitignore"), { force: true });
// With hashes: what is installed on a user's machine is what was locked here. With Jinja, to try chat templates.
run(uv, ["export", "--quiet", "--frozen", "--no-dev", "--extra", "templates", "--no-emit-project", "--no-header", "--output-file", requirements], repository);
download(path.join(bundle, "pip"), installer, []);
run(process.execPath, [path.join(scripts, "build.mjs")], root);
copyFileSync(path.join(repository, "LICENSE"), path.join(root, "LICENSE"));
mkdirSync(path.dirname(out), { recursive: true });

const node = await bundled();
pack(out, node, []);
for (const each of PYTHONS) {
  const abis = [`cp${each.replace(".", "")}`, "abi3", "none"].flatMap((abi) => ["--abi", abi]);
  const platforms = PLATFORMS.flatMap((platform) => ["--platform", platform]);
  download(wheels, requirements, ["--implementation", "cp", "--python-version", each, ...abis, ...platforms]);
}
pack(out.replace(/(?:\.vsix)?$/, `-${LINUX}.vsix`), node, ["--target", LINUX]);
