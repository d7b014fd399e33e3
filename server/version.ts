import { parseOwnJson } from '#shared/parse-json.ts'
import { readFileSync } from 'node:fs'

/** Version of this release, from package.json. */
export const { version } = parseOwnJson<{ version: string }>(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)
