import { act, screen, waitFor } from '@testing-library/react'
import { useLocation } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { offerUndo, removeUndoOffer } from '#web/documents/actions/undo-store.ts'
import { dataClient, refetchAll } from '#web/lib/api/data-client.ts'
import { listKey } from '#web/lib/api/data-keys.ts'
import { clearToasts, takeToastAction, useToasts } from '#web/lib/browser/toasts.ts'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { JobEnds } from './job-ends.tsx'

const api = apiServer()
let second = 0
const at = (): string => `2026-03-01 10:00:${String((second += 1)).padStart(2, '0')}.000000`
const job = (name: string, more: object = {}) => ({
  name,
  label: `Create ${name}`,
  status: 'Done',
  ended: at(),
  reference_doctype: 'Site',
  reference_name: 's1',
  reference_title: null,
  error_message: null,
  error_message_i18n: null,
  ...more,
})

/** The newest ended jobs of the user, newest first, as the server has them. */
let ended: ReturnType<typeof job>[] = []
let away = false
beforeEach(() => {
  second = 0
  ended = []
  away = false
  api.on('frappe.client.get_list', () => (away ? { status: 503, body: {} } : { message: ended }))
})
afterEach(() => {
  act(() => {
    removeUndoOffer('archive')
    clearToasts()
  })
  sessionStorage.clear()
  window.history.replaceState(null, '', '/')
  vi.restoreAllMocks()
})

const reads = () => api.calls.length

/** All messages, as in the tray, with their buttons. */
function Tray() {
  const { history } = useToasts()
  return (
    <>
      {history.map((toast) => (
        <p key={toast.id}>
          {`tray: ${toast.title}`}
          {toast.action && <button onClick={() => takeToastAction(toast)}>{`tray: ${toast.action.label}`}</button>}
        </p>
      ))}
      <output>{useLocation().search}</output>
    </>
  )
}
const tray = () =>
  screen.queryAllByText(/^tray: .*(?:done|failed|canceled|ended)$/).map(({ firstChild }) => firstChild?.textContent)

/** A page whose user knows the jobs that ended before. */
async function setup(...before: ReturnType<typeof job>[]) {
  ended = before
  const from = reads()
  const rendered = renderAs(
    owner,
    <>
      <JobEnds />
      <ToastArea />
      <Tray />
    </>,
    '/site',
  )
  await waitFor(() => expect(reads()).toBeGreaterThan(from))
  await waitFor(() => expect(dataClient.isFetching()).toBe(0))
  return rendered
}
/** The jobs end, as an event reports. */
async function end(...jobs: ReturnType<typeof job>[]): Promise<void> {
  ended = [...jobs.toReversed(), ...ended].slice(0, 50)
  await act(() => refetchAll(listKey('Job')))
}

test('an own job that ended is told with the next step, once', async () => {
  await setup(job('old'))
  expect(api.calls[0]?.body).toMatchObject({
    doctype: 'Job',
    filters: [
      ['owner', '=', owner.user],
      ['ended', 'is', 'set'],
      ['bulk_run', 'is', 'not set'],
    ],
  })
  await end(job('blog'))
  expect(await screen.findByText('Create blog: done')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Open' }).getAttribute('href')).toContain('/site/s1')
  await end(job('blog', { ended: ended[0]?.ended }))
  await end()
  expect(tray()).toEqual(['tray: Create blog: done'])
})

test('a job that ended before its page heard of it, or was canceled while queued, is told', async () => {
  await setup()
  await end(job('quick'), job('queued', { status: 'Cancelled' }))
  expect(tray()).toEqual(['tray: Create queued: canceled', 'tray: Create quick: done'])
})

test('a job that is retried ends again', async () => {
  const failed = job('blog', { status: 'Failed' })
  await setup(failed)
  ended = []
  await end(job('blog'))
  expect(tray()).toEqual(['tray: Create blog: done'])
})

test('a failure comes with its reason, and the way to the job', async () => {
  await setup()
  await end(job('blog', { status: 'Failed', error_message: 'The disk is full.' }))
  expect(await screen.findByText('Create blog: failed')).toBeTruthy()
  expect(screen.getByText('The disk is full.')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'See why' }).getAttribute('href')).toContain('/job?job=blog')
})

test('a request that fails delays the message only', async () => {
  await setup()
  away = true
  await end(job('blog'))
  expect(tray()).toEqual([])
  away = false
  await end()
  expect(tray()).toEqual(['tray: Create blog: done'])
})

test('what ends while the page is reloaded is told by the new page, and nothing twice', async () => {
  const { unmount } = await setup(job('old'))
  await end(job('blog'))
  unmount()
  act(clearToasts)
  dataClient.clear()
  const again = await setup(job('shop'), ...ended)
  await waitFor(() => expect(tray()).toEqual(['tray: Create shop: done']))
  again.unmount()
  sessionStorage.clear()
  act(clearToasts)
  dataClient.clear()
  await setup(...ended)
  expect(tray(), 'another tab knows nothing of before').toEqual([])
})

test('older jobs that the list reaches again are not told', async () => {
  const jobs = Array.from({ length: 51 }, (_, n) => job(`j${n}`)).toReversed()
  await setup(...jobs.slice(0, 50))
  ended = jobs.slice(1)
  await end()
  expect(tray()).toEqual([])
})

test('the job of an open drawer is not told', async () => {
  await setup()
  window.history.replaceState(null, '', '/web/site?job=open')
  await end(job('open'), job('mine'))
  expect(tray()).toEqual(['tray: Create mine: done'])
})

test('many that end at once are one message', async () => {
  await setup()
  await end(job('a'), job('b'), job('c'), job('d', { status: 'Failed' }))
  expect(await screen.findByText('4 jobs have ended')).toBeTruthy()
  expect(screen.getByText('1 of them failed.')).toBeTruthy()
})

test('a tab in the background is marked until it is looked at', async () => {
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  await setup()
  await end(job('blog'))
  await waitFor(() => expect(document.title).toMatch(/^✓ /))
  hidden.mockReturnValue(false)
  act(() => void document.dispatchEvent(new Event('visibilitychange')))
  expect(document.title).not.toMatch(/✓/)
})

const archived = (more: object = {}) => job('archive', { label: 'Archive blog', reference_title: 'blog', ...more })
const offer = () => offerUndo({ type: SiteDoctype, name: 's1', undo: { action: 'restore_archive' }, job: 'archive' })

test.each(['', '?job=archive'])(
  'an undoable job is told once, with Undo, which opens its job (page at %j)',
  async (search) => {
    api.on('run_doc_method', () => ({ message: { job: 'j2' } }))
    const { user } = await setup()
    window.history.replaceState(null, '', `/web/site${search}`)
    act(offer)
    const others = ['a', 'b', 'c', 'd'].map((name) => job(name))
    await end(archived(), ...others)
    expect(tray()).toEqual(['tray: Archive blog: done', 'tray: 4 jobs have ended'])
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(screen.getByRole('status', { name: '' }).textContent).toBe('?job=j2'))
    expect(api.calls.findLast(({ name }) => name === 'run_doc_method')).toMatchObject({
      body: { dt: 'Site', dn: 's1', method: 'restore_archive' },
    })
    expect(screen.queryByRole('button', { name: 'tray: Undo' })).toBeNull()
  },
)

test('a job that ends before the action that started it is answered still gets its Undo, in the same message', async () => {
  await setup()
  await end(archived())
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
  act(offer)
  expect(await screen.findByRole('button', { name: 'Undo' })).toBeTruthy()
  expect(tray()).toEqual(['tray: Archive blog: done'])
})

test('shows the reason if undoing is not possible', async () => {
  api.on('run_doc_method', () => ({ status: 417, body: { exception: 'The plan has no room.' } }))
  const { user } = await setup()
  act(offer)
  await end(archived())
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  expect(await screen.findByText('Restore from archive failed')).toBeTruthy()
})

test.each(['Failed', 'Cancelled'])('offers no Undo for a job that ended as %s', async (status) => {
  await setup()
  act(offer)
  await end(archived({ status }))
  ended = []
  await end(archived())
  expect(tray()).toHaveLength(2)
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
})

const version = () =>
  offerUndo({
    type: SiteDoctype,
    name: 's1',
    undo: { action: 'set_php_version', args: { php_version: '8.3' }, fields: ['php_version'] },
    job: 'php',
  })
const switched = () => job('php', { label: 'Switch blog to PHP 8.4' })

test('undoing sends the values of before, by the keyboard, too', async () => {
  api.on('resource/Site/s1', () => ({ data: { name: 's1', php_version: '8.4' } }))
  api.on('run_doc_method', () => ({ message: { job: 'j2' } }))
  const { user } = await setup()
  act(version)
  await end(switched())
  const button = await screen.findByRole('button', { name: 'Undo' })
  button.focus()
  await user.keyboard('{Enter}')
  await waitFor(() => expect(screen.getByRole('status', { name: '' }).textContent).toBe('?job=j2'))
  expect(api.calls.findLast(({ name }) => name === 'run_doc_method')).toMatchObject({
    body: { dt: 'Site', dn: 's1', method: 'set_php_version', args: { php_version: '8.3' } },
  })
})

test('what was changed since is not undone', async () => {
  let php_version = '8.4'
  api.on('resource/Site/s1', () => ({ data: { name: 's1', php_version } }))
  const { user } = await setup()
  act(version)
  await end(switched())
  const button = await screen.findByRole('button', { name: 'Undo' })
  await waitFor(() => expect(api.calls.map(({ name }) => name)).toContain('resource/Site/s1'))
  php_version = '8.5'
  await user.click(button)
  expect(await screen.findByText('tray: Nothing was undone, because it was changed since')).toBeTruthy()
  expect(api.calls.map(({ name }) => name)).not.toContain('run_doc_method')
})

test('what is in no field is undone until another job came after it', async () => {
  const undo = { action: 'set_theme', args: { theme: 'before', do: 'activate' }, fields: [] }
  api.on('run_doc_method', () => ({ message: { job: 'j2' } }))
  const { user } = await setup()
  act(() => offerUndo({ type: SiteDoctype, name: 's1', undo, job: 'theme' }))
  await end(job('theme'))
  const button = await screen.findByRole('button', { name: 'Undo' })
  await waitFor(() => expect(dataClient.isFetching()).toBe(0))
  ended = [job('other'), ...ended]
  await user.click(button)
  expect(await screen.findByText('tray: Nothing was undone, because it was changed since')).toBeTruthy()
  expect(api.calls.map(({ name }) => name)).not.toContain('run_doc_method')
})

test('what could not be read is not called changed', async () => {
  api.on('resource/Site/s1', () => ({ status: 503, body: {} }))
  const { user } = await setup()
  act(version)
  await end(switched())
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  expect(await screen.findByText('tray: Change PHP version failed')).toBeTruthy()
  expect(api.calls.map(({ name }) => name)).not.toContain('run_doc_method')
})
