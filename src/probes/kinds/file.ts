// Probe: files of a service, their mode, owner and content.

import { z } from 'zod'
import { absolutePath } from '../../contract/names.ts'
import { fileMode, pattern, plainText, serviceName } from '../field-schemas.ts'
import { differs, holds } from '../observation.ts'
import { probeKind, type RunProbe } from '../probe-kind.ts'

const schema = z.strictObject({
  in: serviceName.describe('The service that has the file.'),
  path: absolutePath.describe('Its absolute path; * and ? match several.'),
  expect: z
    .strictObject({
      exists: z.boolean().default(true).describe('Whether it must be there, or must not.'),
      contains: plainText.optional().describe('Texts that must all be in it. Plain text, not a pattern.'),
      lacks: plainText.optional().describe('Texts of which none may be in it. Plain text, not a pattern.'),
      matches: pattern.optional().describe('A regular expression, multi-line, that something there must match.'),
      lacks_matches: pattern.optional().describe('A regular expression, multi-line, that nothing there may match.'),
      mode: fileMode.optional().describe('Its mode in four octal digits, such as "0640".'),
      uid: z.int().optional().describe('The number of the user that it must belong to.'),
      others_write: z.literal(false).optional().describe('Nobody but owner and group may write what is found.'),
    })
    .describe('What must be found there.'),
})

/** A file as the inspector reports it. */
const FileEntry = z.object({
  path: z.string(),
  type: z.enum(['file', 'folder', 'link', 'other']),
  mode: z.string().regex(/^[0-7]{4}$/),
  uid: z.int(),
  /** Whether an access list gives others rights, beside mode and owner. */
  acl: z.boolean(),
  /** Those of the requested words that it contains. */
  words: z.array(z.string()).optional(),
  text: z.string().optional(),
})

export const FilesAnswer = z.object({ entries: z.array(FileEntry) })

const run: RunProbe<typeof schema> = async ({ in: service, path, expect }, { observer }) => {
  const { contains = [], lacks = [], matches, lacks_matches: foreign } = expect
  const isRead = matches !== undefined || foreign !== undefined
  const question = { inspection: 'file', path, words: [...contains, ...lacks], text: isRead }
  const { entries } = await observer.inspect(service, question, FilesAnswer)
  const where = `${service}:${path}`
  const [first] = entries
  if (first === undefined) return { passed: !expect.exists, saw: `${where} does not exist` }
  if (!expect.exists) return differs(`${where} exists`)
  const held = new Set(entries.flatMap(({ words }) => words ?? []))
  const text = entries.map((entry) => entry.text ?? '').join('\n')
  const fits =
    contains.every((part) => held.has(part)) &&
    lacks.every((part) => !held.has(part)) &&
    (matches === undefined || new RegExp(matches, 'm').test(text)) &&
    (foreign === undefined || !new RegExp(foreign, 'm').test(text))
  if (!fits) return differs(`${where} does not have the expected content`)
  if (expect.mode !== undefined && first.mode !== expect.mode) return differs(`${where} has mode ${first.mode}`)
  const shared = expect.mode !== undefined || expect.others_write === false ? entries.find(({ acl }) => acl) : undefined
  if (shared !== undefined) return differs(`${service}:${shared.path} has an access list`)
  const open =
    expect.others_write === false
      ? entries.find(({ type, mode }) => type !== 'link' && (Number.parseInt(mode, 8) & 0o002) !== 0)
      : undefined
  if (open !== undefined) return differs(`${service}:${open.path} is writable by everyone`)
  if (expect.uid !== undefined && first.uid !== expect.uid) return differs(`${where} is owned by user ${first.uid}`)
  return holds(`${where} is as expected`)
}

export const kind = probeKind({
  looksAt: 'existence, content, mode, owner, whether everybody may write; the path may hold `*` and `?`',
  from: 'beside the service',
  schema,
  /** Not where only mode or owner is asked for: those are the kernel's word. */
  reads: ({ path, expect }) => (expect.contains || expect.matches ? [path] : []),
  run,
})
