import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeConfig, loadConfig } from './config.ts'

const guide = join(import.meta.dirname, '..', '..', 'docs', 'operating.md')

/** Names in the first column of the tables below "## Settings". */
async function documentedNames(): Promise<string[]> {
  const section = /^## Settings\n(.*?)^## /ms.exec(await readFile(guide, 'utf8'))?.[1] ?? ''
  const cells = section.split('\n').map((line) => /^\|([^|]*)\|/.exec(line)?.[1] ?? '')
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''))
}

test('docs/operating.md lists every setting once and no other', async () => {
  // A folder without a .env.
  const cwd = import.meta.dirname
  const known = describeConfig(loadConfig({}, cwd), {}, cwd).map(({ name }) => name)
  expect((await documentedNames()).toSorted()).toEqual(known.toSorted())
})
