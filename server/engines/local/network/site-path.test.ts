import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isNetworkPath } from '#shared/rules/multisite.ts'
import { withoutSitePath } from './site-path.ts'

it.each([
  ['/second/wp-admin', '/wp-admin'],
  ['/second/wp-admin/', '/wp-admin/'],
  ['/second/wp-admin/network/sites.php', '/wp-admin/network/sites.php'],
  ['/a_B-1/wp-content/uploads/sites/2/x.png', '/wp-content/uploads/sites/2/x.png'],
  ['/second/wp-includes/js/x.js', '/wp-includes/js/x.js'],
  ['/second/wp-login.php', '/wp-login.php'],
  ['/second/some/file.php', '/some/file.php'],
  ['/second/', null],
  ['/second', null],
  ['/wp-admin/', null],
  ['/wp-login.php', null],
  ['//wp-login.php', null],
  ['/second/page/', null],
  ['/second/wp-adminer/', null],
  ['/second/license.txt', null],
  ['/sécond/wp-login.php', null],
  ['/.git/wp-login.php', null],
  ['/a/b/wp-admin/', null],
])('%s without the path of its site: %s', (path, rest) => {
  expect(withoutSitePath(path)).toBe(rest)
})

it('takes the first segment away or nothing, and never more than that', () => {
  const segment = fc.oneof(
    fc.constantFrom('wp-admin', 'wp-content', 'wp-includes', 'x.php', 'second', '..', '.htaccess', ''),
    fc.string(),
  )
  const path = fc.array(segment, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`)
  fc.assert(
    fc.property(path, (given) => {
      const rest = withoutSitePath(given)
      if (rest === null) return
      expect(given).toBe(`/${given.split('/')[1]}${rest}`)
      expect(rest).toMatch(/^\/wp-(?:content|admin|includes)(?:\/|$)|\.php$/)
      expect(given.split('/')[1]).toMatch(/^[\w-]+$/)
    }),
  )
})

it('sites of a network are called by one part of a path that a web server passes on', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9-]{1,70}$/)), (text) => {
      if (isNetworkPath(text)) expect(withoutSitePath(`/${text}/wp-login.php`)).toBe('/wp-login.php')
    }),
  )
  for (const bad of ['', '-a', 'a-', 'A', 'a/b', 'a b', 'ä', '..', 'a'.repeat(61)])
    expect(isNetworkPath(bad)).toBe(false)
  for (const good of ['a', 'shop', 'my-shop', '2026', 'a'.repeat(60)]) expect(isNetworkPath(good)).toBe(true)
})
