import { describe, expect, test } from 'vitest'
import { readMatrix } from './matrix.ts'
import { readCell } from './notation.ts'

describe('cells', () => {
  test.each([
    ['–', {}],
    ['RCWD', { R: 'all', C: 'all', W: 'all', D: 'all' }],
    ['R*; C dev; WD*', { R: 'starred', C: 'development', W: 'starred', D: 'starred' }],
    ['R*, C*', { R: 'starred', C: 'starred' }],
    ['own R', { R: 'own' }],
    ['RWD, not owner', { R: 'all', W: 'not the owner', D: 'not the owner' }],
    ['self', { R: 'self', W: 'self' }],
  ])('%s', (text, letters) => {
    expect(readCell(text).letters).toEqual(letters)
  })

  test('say what they limit', () => {
    expect(readCell('R, no credentials')).toMatchObject({ letters: { R: 'all' }, except: 'credentials', only: null })
    expect(readCell('R†')).toMatchObject({ only: 'colleague' })
    expect(readCell('re-auth')).toMatchObject({ act: 'all', reauth: true, letters: {} })
    expect(readCell('same', readCell('set/test/clear'))).toEqual(readCell('set/test/clear'))
    expect(readCell('own', readCell('own C, all RD')).letters).toEqual({ R: 'own', C: 'own', D: 'own' })
    expect(readCell('own', readCell('yes'))).toMatchObject({ act: 'own', letters: {} })
  })

  test('are never guessed at', () => {
    for (const text of ['', 'RX', 'R mostly', 'r', 'C prod', 'R**'])
      expect(() => readCell(text)).toThrow('not understood')
    expect(() => readCell('same')).toThrow('nothing to its left')
  })
})

test('the whole fixture is understood', () => {
  const { rows, groups } = readMatrix()
  expect(rows.size).toBeGreaterThan(30)
  expect(rows.get('Site')?.US.letters).toEqual({ R: 'starred', C: 'development', W: 'starred', D: 'starred' })
  expect(rows.get('Org credentials and keys')?.AD.verbs).toEqual(['set', 'test', 'clear'])
  for (const row of rows.values()) {
    for (const cell of Object.values(row)) {
      for (const group of [cell.only, cell.except]) if (group !== null) expect([...groups.keys()]).toContain(group)
    }
  }
  expect(() => readMatrix('## Matrix\n\n| a | PA |\n|---|---|\n| x | R |\n')).toThrow('not whole')
})
