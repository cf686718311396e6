// What looks like a command at the prompt of a shell. Pure.

const longest = 1_000
const prompt = /^[a-z_][\w-]{0,31}@[\w.-]{1,64}(?::[^#$]{0,200})?[#$] +(\S.*)$/

/** The line without what is before the prompt's end; null for any other line. */
export const commandInLine = (line: string): string | null => (prompt.test(line) ? line.trimEnd().slice(0, longest) : null)
