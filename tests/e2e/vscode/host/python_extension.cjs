/**
 * Stands in for the Python extension: the part of its interface that says which environment is selected.
 *
 * `select` is the tests' own: it chooses an interpreter, or none, and tells whoever listens.
 */

const vscode = require("vscode");

exports.activate = () => {
  /** @type {import("vscode").EventEmitter<void>} */
  const changed = new vscode.EventEmitter();
  /** @type {string | undefined} */
  let selected;
  return {
    /** @param {string | undefined} python */
    select(python) {
      selected = python;
      changed.fire();
    },
    environments: {
      getActiveEnvironmentPath: () => ({ id: selected ?? "none", path: selected ?? "python" }),
      resolveEnvironment: async () => (selected === undefined ? undefined : { executable: { uri: vscode.Uri.file(selected) } }),
      onDidChangeActiveEnvironmentPath: changed.event,
    },
  };
};
