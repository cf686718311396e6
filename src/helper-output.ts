// The name under which src/cli/test.ts reads the report of Vitest.

import { parseCheckedJson } from './checked-json.ts'

export const readAnswer = parseCheckedJson
