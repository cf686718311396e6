// Lets xterm.js work under a policy without inline styles. It would add <style> elements and style attributes, which the policy forbids;
// what is set through the object model is allowed. So its sheets become constructed ones, and its attributes properties.

/** In place of a <style> element: what is written into it becomes a sheet of the page, until it is removed. */
const createSheetElement = (): HTMLElement => {
  const sheet = new CSSStyleSheet()
  const element = document.createElement('template')
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  Object.defineProperty(element, 'textContent', { set: (css: string) => sheet.replaceSync(css) })
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet)
    Element.prototype.remove.call(element)
  }
  return element
}

/** While `work` runs, which must be synchronous, the page makes no <style> elements. */
export const withoutStyleElements = (work: () => void): void => {
  const create = document.createElement
  const createOther = (name: string, options?: ElementCreationOptions) =>
    name === 'style' ? createSheetElement() : create.call(document, name, options)
  Object.defineProperty(document, 'createElement', { value: createOther, configurable: true })
  try {
    work()
  } finally {
    Reflect.deleteProperty(document, 'createElement')
  }
}

/** A colour of its own, which has no class, is set on a span as an attribute: here it is set as the property that means the same. */
export const setStylesAsProperties = (): void => {
  if (Object.hasOwn(HTMLSpanElement.prototype, 'setAttribute')) return
  Object.defineProperty(HTMLSpanElement.prototype, 'setAttribute', {
    configurable: true,
    value(this: HTMLSpanElement, name: string, value: string) {
      if (name === 'style') this.style.cssText = value
      else Element.prototype.setAttribute.call(this, name, value)
    },
  })
}
