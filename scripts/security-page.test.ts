import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** Rows of the tables of rules: rule, code locations, tests. */
const rows = readFileSync(join(root, 'docs/security.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| .* \| .* \| .* \|$/.test(line) && !/^\| (?:Rule|Asset) /.test(line))
  .map((line) => line.slice(2, -2).split(' | '))
const rules = rows.slice(rows.findIndex(([rule]) => rule?.startsWith('One gate decides')))
const pathsOf = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string)

test('every rule has a place and a proof that exist, or says with what it comes', () => {
  expect(rules.length).toBeGreaterThan(50)
  for (const row of rules) {
    expect(row).toHaveLength(3)
    const [rule = '', place = '', proof = ''] = row
    if (place.startsWith('comes with ')) {
      expect([rule, proof]).toEqual([rule, place])
      continue
    }
    for (const cell of [place, proof]) {
      const paths = pathsOf(cell)
      expect([rule, paths.length > 0]).toEqual([rule, true])
      for (const path of paths) expect([rule, path, existsSync(join(root, path))]).toEqual([rule, path, true])
    }
    const isTest = (path: string) => /\.test\.tsx?$|\.e2e\.ts$/.test(path)
    expect([rule, pathsOf(proof).some(isTest)]).toEqual([rule, true])
    expect([rule, pathsOf(place).some(isTest)]).toEqual([rule, false])
  }
})

test('no rule stands there twice', () => {
  const words = rules.map(([rule]) => rule)
  expect(new Set(words).size).toBe(words.length)
})
