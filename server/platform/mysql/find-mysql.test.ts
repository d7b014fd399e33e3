import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseVersion } from './find-mysql.ts'

test.each([
  ['mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)', 'MariaDB', '10.11.19', true],
  ['mysqld  Ver 11.4.2-MariaDB for Linux on x86_64', 'MariaDB', '11.4.2', true],
  ['mysqld  Ver 10.3.39-MariaDB for Linux on x86_64', 'MariaDB', '10.3.39', false],
  ['/usr/sbin/mysqld  Ver 8.0.36 for Linux on x86_64 (MySQL Community Server - GPL)', 'MySQL', '8.0.36', true],
  ['mysqld  Ver 5.7.44 for Linux on x86_64', 'MySQL', '5.7.44', false],
])('%s', (text, product, version, isRecentEnough) => {
  expect(parseVersion(text)).toEqual({ product, version, isRecentEnough })
})

test('any other output is no server', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/\bVer \d/.test(text))
      expect(parseVersion(text)).toBeNull()
    }),
  )
})
