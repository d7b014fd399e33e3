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

test('an icon goes where it is drawn, not to everybody who draws some icon', () => {
  const icons = '/app/node_modules/lucide-react/dist/esm'
  const modules: Record<string, { importers: string[]; code?: string }> = {
    [`${icons}/icons/circle-x.mjs`]: { importers: [`${icons}/icons/index.mjs`, `${icons}/lucide-react.mjs`] },
    [`${icons}/icons/columns-3.mjs`]: { importers: [`${icons}/icons/index.mjs`, `${icons}/lucide-react.mjs`] },
    [`${icons}/icons/index.mjs`]: { importers: [`${icons}/lucide-react.mjs`] },
    [`${icons}/lucide-react.mjs`]: {
      importers: ['/app/web/shell/app-shell.tsx', '/app/web/list.tsx'],
      code: 'export { CircleX, Columns3 }',
    },
    '/app/web/shell/app-shell.tsx': { importers: [], code: 'import { CircleX } from "lucide-react"' },
    '/app/web/list.tsx': {
      importers: ['/app/web/pages/sites/sites-page.tsx', '/app/web/pages/servers/servers-page.tsx'],
      code: 'import { Columns3 } from "lucide-react"',
    },
  }
  const graph = { getModuleInfo: (id: string) => modules[id] ?? null }
  expect(chunkOf(`${icons}/icons/circle-x.mjs`, graph)).toBe('shell')
  expect(chunkOf(`${icons}/icons/columns-3.mjs`, graph)).toBe('app')
})
