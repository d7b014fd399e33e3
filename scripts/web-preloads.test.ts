import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './node24.mjs'
import { filesOf, largeFirst, pagesOf } from './web-preloads.ts'

test('every line of the route table is read', async () => {
  const pages = pagesOf(await readFile(join(root, 'web', 'routes.tsx'), 'utf8'))
  expect(pages).toContainEqual({ path: '/site', layout: 'shell', module: 'pages/sites/sites-page.tsx' })
  expect(pages).toContainEqual({ path: '/login', layout: 'public', module: 'pages/login/login-page.tsx' })
})

test('a line that cannot be read stops the build', () => {
  expect(() => pagesOf(`route('/x', title, 'shell', () => import('#web/pages/x.tsx'))`)).toThrow('1 routes, but 0')
})

test('files are those of the page without those of the entry, each once', () => {
  const manifest = {
    'index.html': { file: 'assets/main.js', imports: ['_react.js'], isEntry: true },
    '_react.js': { file: 'assets/react.js' },
    '_shared.js': { file: 'assets/shared.js', imports: ['_react.js'] },
    'a.tsx': { file: 'assets/a.js', imports: ['_shared.js', 'index.html'] },
    'b.tsx': { file: 'assets/b.js', imports: ['_shared.js'] },
  }
  expect(filesOf(manifest, ['a.tsx', 'b.tsx'])).toEqual([
    '/web/assets/a.js',
    '/web/assets/b.js',
    '/web/assets/shared.js',
  ])
  expect(() => filesOf(manifest, ['c.tsx'])).toThrow('web/c.tsx')
})

test('the page asks for its large scripts first', () => {
  const html = `<head>
    <title>Easydash</title>
    <script>theme()</script>
    <script type="module" crossorigin src="/web/assets/entry.js" nonce="n"></script>
    <link rel="modulepreload" crossorigin href="/web/assets/main.js">
    <link rel="modulepreload" crossorigin href="/web/assets/react.js">
    <link rel="stylesheet" href="/web/assets/a.css">
  </head><body></body>`
  const sizes: Record<string, number> = {
    '/web/assets/entry.js': 1,
    '/web/assets/main.js': 5,
    '/web/assets/react.js': 9,
  }
  expect(largeFirst(html, (file) => sizes[file] ?? 0).match(/theme|[\w]+\.(?:js|css)/g)).toEqual([
    'react.js',
    'theme',
    'a.css',
    'main.js',
    'entry.js',
  ])
})
