import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStatements, databaseOf, dropStatements, lockStatements, newSiteLogin } from './site-statements.ts'

test('whatever is no id of a site becomes part of no statement', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), (id) => {
      fc.pre(!/^[a-z0-9]{10}$/.test(id))
      expect(() => databaseOf(id)).toThrow('valid id')
    }),
  )
  expect(() => databaseOf('abcdefghij\n')).toThrow('valid id')
})

test('a site has rights on its own database only, and none that reach beyond it', () => {
  const login = newSiteLogin('abcdefghij')
  const grants = createStatements(login, 'localhost')
    .split(';\n')
    .filter((statement) => statement.startsWith('GRANT'))
  expect(grants).toHaveLength(1)
  expect(grants[0]).toMatch(/ ON `easydashabcdefghij`\.\* TO 'easydashabcdefghij'@'localhost'$/)
  expect(grants[0]).not.toMatch(/\b(?:ALL|FILE|SUPER|PROCESS|RELOAD|EVENT|GRANT OPTION|CREATE USER)\b/)
})

test('passwords are random, and nothing in them ends a text', () => {
  const passwords = Array.from({ length: 50 }, () => newSiteLogin('abcdefghij').password)
  expect(new Set(passwords).size).toBe(50)
  for (const password of passwords) expect(password).toMatch(/^[\w-]{43}$/)
})

test('names have no characters that stand for others in a grant', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9]{10}$/), (id) => {
      expect(databaseOf(id)).toMatch(/^[a-z0-9]+$/)
      for (const sql of [dropStatements(id, '%'), lockStatements(id, '%', true)]) expect(sql).toContain(databaseOf(id))
    }),
  )
})
