import fc from 'fast-check'
import { expect, test } from 'vitest'
import { looksReading, statementKind } from '#shared/rules/site-console.ts'
import { statementTables } from './statement-tables.ts'

test.each([
  ['SELECT * FROM wp_posts p JOIN `wp_users` u ON 1', 'SELECT', ['wp_posts', 'wp_users']],
  ['  -- why\n# and\n/* more */ update wp_options set a = 1', 'UPDATE', ['wp_options']],
  ['DROP TABLE IF EXISTS wp_old', 'DROP', ['wp_old']],
  ['INSERT IGNORE INTO wp_log (a) VALUES (1)', 'INSERT', ['wp_log']],
  ["DELETE FROM `odd name` WHERE a = 'FROM secret'", 'DELETE', []],
  ['/*!40000 DELETE */ FROM wp_posts', '', ['wp_posts']],
  ['/*M! CALL wp_tidy() */ SELECT 1', '', []],
  ['(SELECT 1)', 'SELECT', []],
  [String.raw`SELECT 'it\'s FROM hunter2', "\\" FROM wp_posts`, 'SELECT', ['wp_posts']],
  ['SELECT 1 -- FROM hunter2\n/* FROM hunter2 */ FROM wp_posts # JOIN hunter2', 'SELECT', ['wp_posts']],
  ['SELECT 1 /* FROM hunter2', 'SELECT', []],
  ['hunter2 is no statement', '', []],
  ['', '', []],
])('%j', (sql, kind, tables) => {
  expect(statementKind(sql)).toBe(kind)
  expect(statementTables(sql)).toEqual(tables)
})

test.each(['SELECT 1', 'show tables', '/* a */ DESC wp_posts', 'EXPLAIN SELECT 1', 'with a as (select 1) select 2'])(
  '%j looks as if it reads',
  (sql) => expect(looksReading(sql)).toBe(true),
)

test.each(['UPDATE a SET b = 1', '/*!DELETE FROM a*/', 'SET autocommit = 0', 'TRUNCATE a', 'SELECTED', ''])(
  '%j is confirmed',
  (sql) => expect(looksReading(sql)).toBe(false),
)

test('no text of a statement is named, whatever it contains', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom("'", '"'), (secret, quote) => {
      const text = `${quote}${secret.replaceAll(quote, '')} FROM hunter2 JOIN hunter3 ${quote}`
      expect(statementTables(`UPDATE wp_users SET user_pass = ${text}, a = ${text} WHERE b = ${text}`)).toEqual([
        'wp_users',
      ])
    }),
  )
})
