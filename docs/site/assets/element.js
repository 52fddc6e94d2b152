/** An element with properties, and texts or elements in it: texts are never read as HTML. */
export function element(name, properties = {}, content = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...[content].flat());
  return made;
}

const SVG = 'http://www.w3.org/2000/svg';

/** The same of a drawing, whose properties are attributes. */
export function shape(name, attributes = {}, content = []) {
  const made = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value));
  made.append(...[content].flat());
  return made;
}
