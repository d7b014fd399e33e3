import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { DatabaseTab } from './database-tab.tsx'

const api = apiServer()
const site = { name: 's1', domain: 'blog', site_type: 'wp', status: 'Live', server: 'srv' } as Site
const result = { columns: [], omitted: 0, rows: [], more: false, affected: null, ms: 3, undo: null }
const called = (method: string) =>
  api.calls.filter(({ body }) => body['method'] === method).map(({ body }) => body['args'] as Record<string, unknown>)

let conflicts: boolean
let gone: boolean
beforeEach(() => {
  conflicts = false
  gone = false
  api.on('run_doc_method', ({ body: { method, args } }) => {
    const given = args as Record<string, unknown>
    if (method === 'database_tables') return { message: { bytes: 0, tables: [], omitted: 0 } }
    if (method === 'run_sql' && given['confirmed'] === 1) return { message: { ...result, affected: 3, undo: 'before' } }
    if (method === 'run_sql' && String(given['sql']).startsWith('WITH'))
      return { status: 417, body: { exception: 'It has to be confirmed.', field: 'confirmed' } }
    if (method === 'run_sql')
      return { message: { ...result, columns: ['n'], rows: [[{ kind: 'number', text: '42', bytes: 8, cut: false }]] } }
    if (method === 'undo_sql') {
      if (conflicts && given['anyway'] === 0)
        return { status: 409, body: { exception: 'The database was changed since.', field: 'anyway' } }
      if (gone) return { status: 409, body: { exception: 'The state before is not kept any more.' } }
      return { message: { undo: 'after' } }
    }
    if (method === 'run_php') return { message: { output: '<b>bold</b>', value: null, error: null, cut: true, ms: 1 } }
    if (method === 'run_wp') return { message: { output: 'Error: no <b>', code: 1, cut: true, ms: 1 } }
    return { message: null }
  })
  api.on('easydash.api.engine.capabilities', () => ({
    message: { engine: 'local', php_versions: [], capabilities: {} },
  }))
})

const open = async (tool: 'SQL' | 'PHP' | 'WP-CLI', as = owner, more: Partial<Site> = {}) => {
  const { user } = renderAs(
    as,
    <TooltipProvider>
      <DatabaseTab site={{ ...site, ...more }} />
    </TooltipProvider>,
  )
  await user.click(await screen.findByRole('button', { name: tool }))
  return user
}

test('what reads runs at once; what writes shows the statement and asks, and can be undone', async () => {
  const user = await open('SQL')
  const sql = screen.getByLabelText('SQL statement')
  await user.type(sql, 'SELECT 42{Control>}{Enter}{/Control}')
  expect(await within(await screen.findByRole('table', { name: 'Result' })).findByText('42')).toBeTruthy()
  await user.clear(sql)
  await user.type(sql, 'DELETE FROM wp_posts')
  await user.click(screen.getByRole('button', { name: 'Run' }))
  const question = await screen.findByRole('alertdialog')
  expect(within(question).getByText('DELETE FROM wp_posts')).toBeTruthy()
  expect(called('run_sql')).toHaveLength(1)
  await user.click(within(question).getByRole('button', { name: 'Run statement' }))
  expect(await screen.findByText('3 rows changed in 3 ms.')).toBeTruthy()
  expect(called('run_sql').at(-1)).toEqual({ sql: 'DELETE FROM wp_posts', confirmed: 1 })

  conflicts = true
  await user.click(screen.getByRole('button', { name: 'Undo last change' }))
  await user.click(await screen.findByRole('button', { name: 'Undo all of them' }))
  expect(await screen.findByText('The database is as it was before.')).toBeTruthy()
  expect(called('undo_sql')).toEqual([
    { undo: 'before', anyway: 0 },
    { undo: 'before', anyway: 1 },
  ])
  expect(screen.getByRole('button', { name: 'Redo' })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'History' }))
  expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual([
    'DELETE FROM wp_posts',
    'SELECT 42',
  ])
})

test.each([
  ['SQL', 'SQL statement', 'Run', 'Run this statement on My blog?'],
  ['PHP', 'PHP code', 'Run…', 'Run this code on My blog?'],
  ['WP-CLI', 'Command', 'Run…', 'Run this command on My blog?'],
] as const)('%s asks about the site by its title, with its address below', async (tool, field, button, name) => {
  api.on('easydash.api.engine.capabilities', () => ({
    message: { engine: 'ee', php_versions: [], capabilities: { wp_cli: { supported: true } } },
  }))
  const user = await open(tool, owner, { title: 'My blog' })
  await user.clear(screen.getByLabelText(field))
  await user.type(screen.getByLabelText(field), 'DROP')
  await user.click(screen.getByRole('button', { name: button }))
  expect(within(await screen.findByRole('alertdialog', { name })).getByText('blog')).toBeTruthy()
})

test('an undo that is impossible asks nothing, and what a failed write left is read again', async () => {
  const user = await open('SQL')
  await user.clear(screen.getByLabelText('SQL statement'))
  await user.type(screen.getByLabelText('SQL statement'), 'DELETE FROM wp_posts')
  await user.click(screen.getByRole('button', { name: 'Run' }))
  await user.click(await screen.findByRole('button', { name: 'Run statement' }))
  await screen.findByText('3 rows changed in 3 ms.')
  gone = true
  await user.click(screen.getByRole('button', { name: 'Undo last change' }))
  expect(await screen.findByText('The state before is not kept any more.')).toBeTruthy()
  expect(screen.getByText('Something went wrong')).toBeTruthy()
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

test('a statement that failed after it changed something can be undone', async () => {
  api.on('run_doc_method', ({ body: { method } }) => {
    if (method === 'database_tables') return { message: { bytes: 0, tables: [], omitted: 0 } }
    if (method === 'run_sql') return { message: { ...result, undo: 'part', error: 'The database took too long.' } }
    return { message: null }
  })
  const user = await open('SQL')
  await user.clear(screen.getByLabelText('SQL statement'))
  await user.type(screen.getByLabelText('SQL statement'), 'CALL everything()')
  await user.click(screen.getByRole('button', { name: 'Run' }))
  await user.click(await screen.findByRole('button', { name: 'Run statement' }))
  expect(await screen.findByText(/^The database took too long/)).toBeTruthy()
  expect(screen.getByText('The statement did not come to its end')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Undo last change' })).toBeTruthy()
})

test('a statement that only seemed to read asks as well', async () => {
  const user = await open('SQL')
  const sql = screen.getByLabelText('SQL statement')
  await user.clear(sql)
  await user.type(sql, 'WITH a AS (SELECT 1) DELETE FROM wp_posts')
  await user.click(screen.getByRole('button', { name: 'Run' }))
  expect(await screen.findByRole('alertdialog')).toBeTruthy()
})

test('PHP always asks, and its output is text', async () => {
  const user = await open('PHP')
  await user.type(screen.getByLabelText('PHP code'), 'echo 1;')
  await user.click(screen.getByRole('button', { name: 'Run…' }))
  expect(called('run_php')).toHaveLength(0)
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Run code' }))
  expect(await screen.findByText('<b>bold</b>')).toBeTruthy()
  expect(screen.getByText('There was more output, which is not shown.')).toBeTruthy()
  expect(called('run_php')).toEqual([{ code: 'echo 1;', safe: 0, confirmed: 1 }])
})

test('WP-CLI is there where the server has it, asks, and shows how a command failed', async () => {
  api.on('easydash.api.engine.capabilities', () => ({
    message: { engine: 'ee', php_versions: [], capabilities: { wp_cli: { supported: true } } },
  }))
  const user = await open('WP-CLI')
  await user.type(screen.getByLabelText('Command'), 'plugin list{Enter}')
  expect(called('run_wp')).toHaveLength(0)
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Run command' }))
  expect(await screen.findByText('Error: no <b>')).toBeTruthy()
  expect(screen.getByText('The command failed (exit code 1)')).toBeTruthy()
  expect(called('run_wp')).toEqual([{ command: 'plugin list', confirmed: 1 }])
})

test('a manager has the tables and no consoles', async () => {
  const organization = { ...owner.organization, role: 'Organization Manager' as const, owner: false }
  renderAs(
    { ...owner, organization } as typeof owner,
    <TooltipProvider>
      <DatabaseTab site={site} />
    </TooltipProvider>,
  )
  expect(await screen.findByText('The database has no tables.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'SQL' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'PHP' })).toBeNull()
})
