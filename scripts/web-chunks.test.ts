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

test('what bare pages have in common with three others or with what people come to comes with the entry', () => {
  const graph = graphOf({
    '/app/web/ui/field.tsx': [page('login'), page('signup'), page('verify-email')],
    '/app/web/ui/rare.tsx': [page('login'), page('signup')],
    '/app/web/ui/checkbox.tsx': ['/app/web/shell/app-shell.tsx', page('signup')],
    '/app/shared/rules/slugs.ts': [page('organization-create'), page('site-create')],
    '/app/web/lib/debounce.ts': [page('organization-create'), page('sites')],
  })
  expect(chunkOf('/app/web/ui/field.tsx', graph)).toBe('main')
  expect(chunkOf('/app/web/ui/rare.tsx', graph)).toBeNull()
  expect(chunkOf('/app/web/ui/checkbox.tsx', graph)).toBe('main')
  expect(chunkOf('/app/web/lib/debounce.ts', graph)).toBe('main')
  expect(chunkOf('/app/shared/rules/slugs.ts', graph)).toBe('rules')
})

test('what the shell needs is one file', () => {
  const graph = graphOf({ '/app/web/ui/menu.tsx': ['/app/web/shell/app-shell.tsx', page('sites')] })
  expect(chunkOf('/app/web/ui/menu.tsx', graph)).toBe('shell')
})

test('what pages share is a file of their kind', () => {
  const graph = graphOf({
    '/app/list.tsx': [page('servers'), page('sites')],
    '/app/rows.tsx': [page('users'), page('sites')],
    '/app/fact.tsx': [page('server'), page('site')],
    '/app/form.tsx': [page('user'), page('site-create')],
    '/app/ask.tsx': [page('organization'), page('users')],
    '/app/cell.tsx': [page('dashboard'), page('sites')],
    '/app/time.tsx': [page('dashboard'), page('user')],
    '/app/own.tsx': [page('sites')],
  })
  const names = ['list', 'rows', 'fact', 'form', 'ask', 'cell', 'time', 'own']
  expect(names.map((name) => chunkOf(`/app/${name}.tsx`, graph))).toEqual([
    'lists',
    'lists',
    'detail',
    'forms',
    'dialogs',
    'documents',
    'shell',
    null,
  ])
})

test('what a page shares with its own dialogs is one file, React another', () => {
  const modules: Record<string, { importers: string[]; dynamicImporters?: string[] }> = {
    '/app/messages.ts': { importers: [page('users'), '/app/invite.tsx'] },
    '/app/invite.tsx': { importers: [], dynamicImporters: [page('users')] },
    '/app/node_modules/react-dom/client.js': { importers: ['/app/web/main.tsx'] },
  }
  const graph = { getModuleInfo: (id: string) => modules[id] ?? null }
  expect(chunkOf('/app/messages.ts', graph)).toBe('users-parts')
  expect(chunkOf('/app/node_modules/react-dom/client.js', graph)).toBe('react')
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
  expect(chunkOf(`${icons}/icons/columns-3.mjs`, graph)).toBe('lists')
})

test('what toasts share with dialogs is a file that needs nothing else of them', () => {
  const toasts = '/app/web/ui/toast-panel.tsx'
  const layer = '/app/node_modules/@radix-ui/react-dismissable-layer/index.mjs'
  const own = '/app/node_modules/@radix-ui/react-toast/index.mjs'
  const graph = graphOf({
    [layer]: ['/app/web/ui/dialog-panel.tsx', own],
    [own]: [toasts],
    '/app/web/ui/dialog-panel.tsx': [page('platform')],
  })
  expect([layer, own, toasts].map((id) => chunkOf(id, graph))).toEqual(['floating', null, null])
})
