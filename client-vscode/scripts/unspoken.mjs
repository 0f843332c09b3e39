// What style forbids in the sources: words that a person reads and that do not go through `l10n.t`. Patterns of ESLint's
// `no-restricted-syntax`; the product's own name is the same in every language.

const WORDS = ':matches(Literal[value=/[A-Za-z]{2}/]:not([value="Callwright"]), BinaryExpression)';
// In a template, an icon such as `$(gear)` and a command's name are no words.
const PIECE = "TemplateElement[value.raw=/(?:^|[^\\w$(~.-])[A-Za-z]{3}/]";
const message = "People read this: let it go through `l10n.t`, and run `npm run l10n`.";

/** @param {string} parent @param {string} field @returns {{ selector: string, message: string }[]} */
const both = (parent, field) => [
  { selector: `${parent} > ${WORDS}.${field}`, message },
  { selector: `${parent} > TemplateLiteral.${field} > ${PIECE}`, message },
];

const SAYING = "/^(?:show(?:Information|Warning|Error)Message|setStatusBarMessage|offerRestart|refused|report|appendText)$/";
const SHOWN = "/^(?:reason|remedy|title|label|placeHolder|prompt|detail|tooltip|accessible|openLabel|saveLabel|description)$/";
const MADE = "/^(?:TreeItem|SetupError)$/";

export const UNSPOKEN = [
  ...both(`CallExpression[callee.property.name=${SAYING}]`, "arguments"),
  ...both(`CallExpression[callee.name=${SAYING}]`, "arguments"),
  ...both(`NewExpression[callee.name=${MADE}]`, "arguments"),
  ...both(`Property[key.name=${SHOWN}]`, "value"),
  ...both(`AssignmentExpression[left.property.name=${SHOWN}]`, "right"),
  { selector: `Property[key.name="details"] > ArrayExpression.value > ${WORDS}`, message },
];
