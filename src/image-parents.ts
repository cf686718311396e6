// `FROM lab/<name>` in a Dockerfile below images/ refers to the folder <name> beside it.

export const parentLine = /^FROM\s+lab\/([a-z0-9-]+)/gim

export const parentsOf = (dockerfile: string): string[] => [...dockerfile.matchAll(parentLine)].map((match) => match[1] as string)
