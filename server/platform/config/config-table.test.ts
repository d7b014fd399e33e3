import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeConfig, loadConfig } from './config.ts'
import { defaultRateLimits } from '../rate-limits.ts'

const guide = join(import.meta.dirname, '..', '..', '..', 'docs', 'operating.md')

/** Names in the first column of the tables under a heading. */
async function documentedNames(heading: string): Promise<string[]> {
  const section = new RegExp(`^## ${heading}\n(.*?)^## `, 'ms').exec(await readFile(guide, 'utf8'))?.[1] ?? ''
  const cells = section.split('\n').map((line) => /^\|([^|]*)\|/.exec(line)?.[1] ?? '')
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''))
}

test('docs/operating.md lists every setting once and no other', async () => {
  // A folder without a .env.
  const cwd = import.meta.dirname
  const known = describeConfig(loadConfig({}, cwd)).map(({ name }) => name)
  expect((await documentedNames('Settings')).toSorted()).toEqual(known.toSorted())
})

test('and every limit', async () => {
  expect((await documentedNames('Limits')).toSorted()).toEqual(Object.keys(defaultRateLimits).toSorted())
})
