// Formats a number with its noun.

/** 1 hint, 2 hints. */
export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
