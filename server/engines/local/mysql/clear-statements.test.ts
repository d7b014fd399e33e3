import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clearStatements, namesStatement } from './clear-statements.ts'

test('whatever a table is called, its name ends no name, and reaches no other database', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 64 }), fc.constantFrom('BASE TABLE', 'VIEW'), (name, type) => {
      const sql = clearStatements('abcdefghij', [[type, Buffer.from(name).toString('hex')]])
      const start = `SET NAMES utf8mb4;\nSET FOREIGN_KEY_CHECKS = 0;\nDROP ${type === 'VIEW' ? 'VIEW' : 'TABLE'} IF EXISTS \`easydashabcdefghij\`.\``
      expect(sql.startsWith(start)).toBe(true)
      expect(sql.endsWith('`;\n')).toBe(true)
      const quoted = sql.slice(start.length, -3)
      expect(quoted.replaceAll('``', '')).not.toContain('`')
      expect(quoted.replaceAll('``', '`')).toBe(Buffer.from(name).toString('utf8'))
    }),
  )
  expect(() => namesStatement('../x')).toThrow('valid id')
})
