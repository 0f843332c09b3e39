/** Text that XML takes for markup is wrapped in CDATA, whose brackets are no brackets of the document. */

import assert from "node:assert/strict";

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const report = "report/research.prompt";
  screen.keep(report);
  const before = screen.onDisk(report);
  await screen.show(report);
  await screen.squiggle.waitFor();
  await screen.findText("< b && b <c");
  await screen.quickFixes(/CDATA/);
  await screen.choose(/CDATA/);
  await screen.save(report, before.replace("<content>", "<content><![CDATA[").replace("</content>", "]]></content>"));
  await screen.squiggle.waitFor({ state: "detached" });
  assert.equal(await screen.editor.locator(".view-line .unexpected-closing-bracket").count(), 0);
  await screen.screenshot("cdata");
};
