import { expect, test } from 'vitest'
import { chunkOf } from './web-chunks.ts'

/** A module and who imports it statically. */
function graphOf(importers: Record<string, string[]>) {
  return { getModuleInfo: (id: string) => (importers[id] ? { importers: importers[id] } : null) }
}

const page = (name: string) => `/app/web/pages/${name}/${name}-page.tsx`

test('what main.tsx imports, also through others, is one file', () => {
  const graph = graphOf({ '/app/web/lib/a.ts': ['/app/web/lib/b.ts'], '/app/web/lib/b.ts': ['/app/web/main.tsx'] })
  expect(chunkOf('/app/web/lib/a.ts', graph)).toBe('main')
})

test('what three public pages need is one file, what two need is not', () => {
  const graph = graphOf({
    '/app/web/ui/field.tsx': [page('login'), page('signup'), page('verify-email')],
    '/app/web/ui/rare.tsx': [page('login'), page('signup')],
  })
  expect(chunkOf('/app/web/ui/field.tsx', graph)).toBe('public')
  expect(chunkOf('/app/web/ui/rare.tsx', graph)).toBeNull()
})

test('what the shell needs stays away from the public pages', () => {
  const graph = graphOf({
    '/app/web/ui/menu.tsx': ['/app/web/shell/app-shell.tsx'],
    '/app/web/ui/checkbox.tsx': ['/app/web/shell/app-shell.tsx', page('signup')],
  })
  expect(chunkOf('/app/web/ui/menu.tsx', graph)).toBe('shell')
  expect(chunkOf('/app/web/ui/checkbox.tsx', graph)).toBeNull()
})

test('a page is a file of its own, and an import cycle does not hang', () => {
  const graph = graphOf({ [page('login')]: [], '/app/web/a.ts': ['/app/web/b.ts'], '/app/web/b.ts': ['/app/web/a.ts'] })
  expect(chunkOf(page('login'), graph)).toBeNull()
  expect(chunkOf('/app/web/a.ts', graph)).toBeNull()
})
