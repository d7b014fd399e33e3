import fc from 'fast-check'
import { expect, test } from 'vitest'
import { constantDefines, constantsIn } from './site-constants.ts'

const value = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.integer(), fc.boolean(), fc.constant(null))

test('values are written so that PHP reads them again', () => {
  // None that belongs to a machine, as DB_X would.
  const name = fc.stringMatching(/^MY_[A-Z_]{0,9}X$/)
  fc.assert(
    fc.property(fc.dictionary(name, value, { noNullPrototype: true }), (constants) => {
      const code = constantDefines(constantsIn({ constants }))
      const written = /^defined\( '(\w+)' \) \|\| define\( '(\w+)', (?:'((?:[^'\\]|\\[^])*)'|([\w-]+)) \);\n/gm
      const read = [...code.matchAll(written)].map(([, guard, defined = '', text, other = '']): [string, unknown] => {
        expect(guard).toBe(defined)
        return [defined, text === undefined ? JSON.parse(other) : text.replaceAll(/\\([\\'])/g, '$1')]
      })
      expect(Object.fromEntries(read)).toEqual(constants)
    }),
  )
})

test('what belongs to a machine or an address is none of the site’s, and names that are none are left out', () => {
  const constants = {
    ...{
      DB_PASSWORD: 'secret',
      AUTH_KEY: 'secret',
      WP_HOME: 'http://a.example',
      MULTISITE: true,
      WP_REDIS_HOST: 'redis',
    },
    ...{
      WP_CONTENT_DIR: '/srv',
      COOKIE_DOMAIN: 'a.example',
      FORCE_SSL_ADMIN: true,
      WP_DEBUG: true,
      ABSPATH: '/srv/',
      WP_CACHE: true,
      SUNRISE: 'on',
    },
    ...{ "A'); evil(); //": 1, WP_POST_REVISIONS: 3, LIST: [1], LONG: 'x'.repeat(2_001), DB: 'kept' },
  }
  expect(constantsIn({ constants })).toEqual({ WP_POST_REVISIONS: 3, DB: 'kept' })
  expect(constantDefines({ "A'); evil(); //": 1, WP_SITEURL: 'http://a.example' })).toBe('')
  expect([constantsIn(null), constantsIn({}), constantsIn({ constants: [] })]).toEqual([{}, {}, {}])
})
