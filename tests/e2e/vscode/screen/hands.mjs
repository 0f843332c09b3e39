/**
 * What steps have in common: eyes and hands on a VS Code that runs in a browser.
 *
 * Nothing waits for a clock: every wait is for something that is seen, or for a file to be written.
 * Must not know: what is tested.
 */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { address, openBrowser, required } from "../browser.mjs";

const AXE = readFileSync(createRequire(new URL("../../../../client-vscode/package.json", import.meta.url)).resolve("axe-core/axe.min.js"), "utf8");

/** The file that shows that the server runs, for it has a fault. */
const FAULTY = "debug/agent.prompt";

/** Themes: the class that a page's body has in it, and the name in the list. @type {[string, string][]} */
export const THEMES = [
  ["vscode-dark", "Dark Modern"],
  ["vscode-light", "Light Modern"],
  ["vscode-high-contrast", "Dark High Contrast"],
  ["vscode-high-contrast-light", "Light High Contrast"],
];

/** Colour schemes of pages. @type {[string, Parameters<import("playwright-core").Page["emulateMedia"]>[0]][]} */
const APPEARANCES = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["light-contrast", { colorScheme: "light", contrast: "more" }],
  ["dark-contrast", { colorScheme: "dark", contrast: "more" }],
  ["forced-colors", { forcedColors: "active" }],
];

/** A window of VS Code on a folder. */
export class Screen {
  /** What files held before a step wrote them; undefined where they were not there. @type {Map<string, string | undefined>} */
  #before = new Map();
  #theme = "Dark Modern";

  /** @param {import("playwright-core").Page} page @param {() => Promise<void>} close */
  constructor(page, close) {
    this.page = page;
    this.close = close;
    this.workspace = required("WORKSPACE");
    this.editor = page.locator(".editor-group-container.active .monaco-editor").first();
    this.input = page.locator(".quick-input-widget input[type=text]");
    this.rows = page.locator(".quick-input-list .monaco-list-row");
    this.squiggle = this.editor.locator(".squiggly-error").first();
    this.suggestions = page.locator(".suggest-widget.visible .monaco-list-row");
  }

  static async open() {
    const { page, close } = await openBrowser();
    page.setDefaultTimeout(30_000);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    return new Screen(page, close);
  }

  /** Show the folder in a new page, and wait until the server has said something. */
  async start() {
    const file = `vscode-remote://127.0.0.1:${required("PORT")}${path.join(this.workspace, FAULTY)}`;
    await this.page.goto(address(required("PORT"), this.workspace, [["openFile", file]]));
    // The first start makes a Python environment.
    await this.squiggle.waitFor({ timeout: 240_000 });
    // Whoever was here before may have left another theme.
    this.#theme = "";
    await this.clear();
  }

  /** Close the list that is open, if there is one: it stays open where it has lost the focus. */
  async #closeList() {
    await this.page.keyboard.press("Escape");
    if (await this.input.isVisible()) {
      await this.input.press("Escape");
    }
  }

  /** Close all editors, and what lies above them. */
  async clear() {
    await this.#closeList();
    await this.setTheme("Dark Modern");
    const refuse = this.page.locator(".monaco-dialog-box .monaco-button").filter({ hasText: "Don't Save" });
    const empty = this.page.locator(".editor-group-container.empty");
    await this.command("View: Close All Editors");
    await refuse.or(empty).first().waitFor();
    while (await refuse.isVisible()) {
      await refuse.click();
      await refuse.or(empty).first().waitFor();
    }
  }

  /** @param {string} relative */
  fileOf(relative) {
    return path.join(this.workspace, relative);
  }

  /** What a file holds. @param {string} relative */
  onDisk(relative) {
    return readFileSync(this.fileOf(relative), "utf8");
  }

  /** Write a file; it is as it was when the step is over. @param {string} relative @param {string} text */
  write(relative, text) {
    this.keep(relative);
    mkdirSync(path.dirname(this.fileOf(relative)), { recursive: true });
    writeFileSync(this.fileOf(relative), text);
  }

  /** Remember what a file holds, for the step will have it changed. @param {string} relative */
  keep(relative) {
    if (!this.#before.has(relative)) {
      let text;
      try {
        text = this.onDisk(relative);
      } catch {
        text = undefined;
      }
      this.#before.set(relative, text);
    }
  }

  /** Give the files that a step has changed their first text. */
  restore() {
    for (const [relative, text] of this.#before) {
      if (text === undefined) {
        rmSync(this.fileOf(relative), { force: true });
      } else {
        writeFileSync(this.fileOf(relative), text);
      }
    }
    this.#before.clear();
  }

  /** Leave a picture of the page, or of a part of it, in the artifacts. @param {string} name @param {import("playwright-core").PageScreenshotOptions["clip"]} [clip] */
  async screenshot(name, clip) {
    await this.page.screenshot({ path: path.join(required("SCREENSHOTS"), `screen-${name}.png`), ...(clip === undefined ? {} : { clip }) });
  }

  /** Run a command by its title, as the list of commands shows it. @param {string} title */
  async command(title) {
    await this.ask(title);
    await this.input.waitFor({ state: "hidden" });
  }

  /** Run a command that asks for something next. @param {string} title */
  async ask(title) {
    await this.#take(() => this.page.keyboard.press("F1"), `>${title}`, this.rows.first().filter({ hasText: title }));
  }

  /**
   * Open a list with keys, say what is sought in it, and take it once its row is there. The keys are pressed again where the
   * list does not come up: the page of a preview that is shown just then takes the focus, and the keys with it.
   * @param {() => Promise<void>} open @param {string} sought @param {import("playwright-core").Locator} row
   */
  async #take(open, sought, row) {
    for (let again = 3; ; again--) {
      try {
        await open();
        await this.input.waitFor({ state: "visible", timeout: 10_000 });
        await this.input.fill(sought, { timeout: 10_000 });
        await row.waitFor({ timeout: 10_000 });
        break;
      } catch (error) {
        if (again === 1) {
          throw error;
        }
        await this.#closeList();
      }
    }
    // Into the list, whatever has taken the focus since.
    await this.input.press("Enter");
  }

  /** Open a file in an editor. @param {string} relative */
  async show(relative) {
    const row = this.rows.first().filter({ hasText: path.basename(relative) });
    await this.#take(() => this.page.keyboard.press("Control+p"), this.fileOf(relative), row);
    await this.input.waitFor({ state: "hidden" });
    await this.page.locator(".editor-group-container.active .tab.active").filter({ hasText: path.basename(relative) }).first().waitFor();
    await this.editor.locator(".view-line").first().waitFor();
    await this.focused();
  }

  /** Write a file and open it; the cursor stands where `‸` stood, if it did. @param {string} relative @param {string} marked */
  async create(relative, marked) {
    const offset = marked.indexOf("‸");
    this.write(relative, marked.replace("‸", ""));
    await this.show(relative);
    if (offset >= 0) {
      const lines = marked.slice(0, offset).split("\n");
      await this.goTo(lines.length, lines.at(-1) ?? "");
    }
  }

  /** Put the cursor into a line, counted from 1, behind some text of it. @param {number} line @param {string} before */
  async goTo(line, before) {
    await this.page.keyboard.press("Control+g");
    await this.input.waitFor({ state: "visible" });
    await this.input.fill(`:${line}:${before.length + 1}`);
    await this.page.keyboard.press("Enter");
    await this.input.waitFor({ state: "hidden" });
    // The status bar counts what lies outside the BMP as one, the list of lines as two.
    await this.place(line, [...before].length + 1);
  }

  /** Wait until the cursor stands at a place. @param {number} line @param {number} column */
  async place(line, column) {
    await this.page.locator(".statusbar-item").filter({ hasText: `Ln ${line}, Col ${column}` }).first().waitFor();
  }

  /** Wait until keys go into the editor in front. */
  async focused() {
    await this.page.locator(".editor-group-container.active .monaco-editor.focused").first().waitFor({ state: "attached" });
  }

  /** Put the cursor before the first occurrence of a text. @param {string} text */
  async findText(text) {
    await this.editor.locator(".view-line").first().click();
    await this.page.keyboard.press("Control+Home");
    await this.page.keyboard.press("Control+f");
    const widget = this.page.locator(".find-widget.visible");
    const find = widget.locator("textarea[aria-label=Find]").first();
    await find.waitFor();
    await find.fill(text);
    await widget.locator(".matchesCount").filter({ hasText: /\d of \d/ }).waitFor();
    // Where the mouse stands under the widget, the first Escape closes the hint of a button.
    await this.until(async () => {
      await this.page.keyboard.press("Escape");
      return (await widget.count()) === 0;
    });
    await this.focused();
    await this.page.keyboard.press("ArrowLeft");
  }

  /**
   * Have the quick fixes shown for where the cursor is, one of them among them. The keys are pressed again where the menu
   * does not come up: VS Code shows none when the findings are renewed just then. @param {RegExp} title
   */
  async quickFixes(title) {
    const entry = this.page.locator(".action-widget .monaco-list-row").filter({ hasText: title }).first();
    for (let again = 5; again > 0 && !(await entry.isVisible()); again--) {
      await this.page.keyboard.press("Control+.");
      await entry.waitFor({ timeout: 5_000 }).catch(() => this.page.keyboard.press("Escape"));
    }
    await entry.waitFor();
  }

  /** Choose an entry of the menu of quick fixes that is open. @param {RegExp} title */
  async choose(title) {
    const entry = this.page.locator(".action-widget .monaco-list-row").filter({ hasText: title }).first();
    await entry.waitFor();
    const focused = this.page.locator(".action-widget .monaco-list-row.focused").filter({ hasText: title });
    for (let i = 0; i < 20 && !(await focused.isVisible()); i++) {
      await this.page.keyboard.press("ArrowDown");
    }
    await this.page.keyboard.press("Enter");
    await this.page.locator(".action-widget").waitFor({ state: "hidden" });
  }

  /** Wait until the editor has found what belongs to the tag that the cursor is in. @param {string} line */
  async linked(line) {
    await this.editor.locator(".linked-editing-decoration").first().waitFor({ state: "attached" });
    assert.ok((await this.text()).includes(line), await this.text());
  }

  /** The text in front as it is shown, with spaces as they are in the file. */
  async text() {
    const lines = await this.editor.locator(".view-line").evaluateAll((found) =>
      found
        .map((line) => ({ top: parseFloat(/** @type {any} */ (line).style.top), text: line.textContent ?? "" }))
        .sort((one, other) => one.top - other.top)
        .map(({ text }) => text),
    );
    return lines.join("\n").replaceAll("\u00a0", " ");
  }

  /**
   * Save what has changed, and wait until the file on disk is as it should be. A chosen fix is applied after its menu is gone,
   * and saving does nothing while the text is the one on disk. @param {string} relative @param {string} expected
   */
  async save(relative, expected) {
    await this.page.locator(".editor-group-container.active .tab.active.dirty").first().waitFor();
    await this.page.keyboard.press("Control+s");
    await this.file(relative, expected);
  }

  /** Wait until a file is as it should be. @param {string} relative @param {string} expected */
  async file(relative, expected) {
    await this.until(() => this.onDisk(relative) === expected).catch(() => undefined);
    assert.equal(this.onDisk(relative), expected);
  }

  /** Ask until the answer is true. @param {() => boolean | Promise<boolean>} ask */
  async until(ask, limit = 20_000) {
    const deadline = Date.now() + limit;
    while (!(await ask())) {
      assert.ok(Date.now() < deadline, `this did not come true: ${ask}`);
      await this.page.waitForTimeout(50);
    }
  }

  /** What was copied last. */
  clipboard() {
    return this.page.evaluate(() => /** @type {any} */ (globalThis).navigator.clipboard.readText());
  }

  /** Choose a theme by its keys. @param {string} theme */
  async setTheme(theme) {
    if (theme === this.#theme) {
      return;
    }
    const open = async () => {
      await this.page.locator(".tab.active .tab-label").first().click();
      await this.page.mouse.move(640, 500);
      await this.page.keyboard.press("Control+k");
      await this.page.keyboard.press("Control+t");
    };
    await this.#take(open, theme, this.rows.filter({ hasText: theme }).first());
    await this.input.waitFor({ state: "hidden" });
    this.#theme = theme;
  }

  /** The page of the preview: VS Code shows it in a frame in a frame; a second one is there while a page takes its place. */
  preview() {
    return this.page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
  }

  /**
   * Open a page that was written in every colour scheme, do something there, take a picture, and assert that axe finds
   * nothing serious.
   * @param {string} file @param {string} name @param {(page: import("playwright-core").Page) => Promise<void>} act
   */
  async checkPage(file, name, act) {
    const page = await this.page.context().browser()?.newPage({ viewport: { width: 1100, height: 1400 } });
    assert.ok(page);
    for (const [scheme, media] of APPEARANCES) {
      await page.emulateMedia(media);
      await page.goto(`file://${file}`);
      await act(page);
      await page.screenshot({ path: path.join(required("SCREENSHOTS"), `${name}-${scheme}.png`) });
      await this.checkAccessibility(page, `${name}, ${scheme}`);
    }
    await page.close();
  }

  /**
   * Assert that axe finds nothing serious. @param {import("playwright-core").FrameLocator | import("playwright-core").Page} where
   * @param {string} name @param {string[]} [without] rules that are left out
   */
  async checkAccessibility(where, name, without = []) {
    const owner = await (await where.locator("html").elementHandle())?.ownerFrame();
    assert.ok(owner);
    // Given as a whole, the text runs whatever the page's own policy is.
    await owner.evaluate(AXE);
    const rules = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]));
    const found = await owner.evaluate(async (rules) => {
      const { violations } = await /** @type {any} */ (globalThis).axe.run(document, { resultTypes: ["violations"], rules });
      return violations.map((/** @type {any} */ each) => ({
        rule: each.id,
        impact: each.impact,
        where: each.nodes.slice(0, 3).map((/** @type {any} */ node) => `${node.target.join(" ")}: ${node.failureSummary}`),
      }));
    }, rules);
    const serious = found.filter((/** @type {any} */ each) => ["serious", "critical"].includes(each.impact));
    assert.deepEqual(serious, [], `accessibility of ${name}: ${JSON.stringify(found, null, 2)}`);
  }
}
