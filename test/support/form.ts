// Form-encoded parameters with brackets, as Stripe takes them: line_items[0][price_data][currency]=usd

export interface Form {
  [name: string]: string | Form
}

export const readForm = (text: string): Form => {
  const form: Form = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const [first = '', ...rest] = name.split(/\]\[|\[|\]$/).filter((part, index, all) => part !== '' || index < all.length - 1)
    let at = form
    let key = first
    for (const next of rest) {
      const inner = at[key]
      const into: Form = typeof inner === 'object' ? inner : {}
      at[key] = into
      at = into
      key = next === '' ? String(Object.keys(into).length) : next
    }
    at[key] = value
  }
  return form
}

/** A part of it that is itself a form. */
export const within = (form: Form | undefined, ...path: string[]): Form | undefined => {
  let at: string | Form | undefined = form
  for (const name of path) at = typeof at === 'object' ? at[name] : undefined
  return typeof at === 'object' ? at : undefined
}

export const textIn = (form: Form | undefined, name: string): string | undefined => {
  const value = form?.[name]
  return typeof value === 'string' ? value : undefined
}
