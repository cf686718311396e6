// Small settings of this browser. One that keeps nothing has the defaults.

export const readSetting = (name: string): string | null => {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Null removes it. */
export const writeSetting = (name: string, value: string | null): void => {
  try {
    if (value === null) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {
    // It counts until the page is closed.
  }
}
