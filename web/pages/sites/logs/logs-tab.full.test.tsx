import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import { apiServer, type Call } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { setOfflineSince } from '#web/lib/api/offline.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { LogsTab } from './logs-tab.tsx'
import { pollMs } from './use-polling.ts'

const api = apiServer()
const site = { name: 's1', domain: 'blog', site_type: 'wp', status: 'Live', server: 'v1' } as Site
const at = '2026-11-24 20:15:01.000000'

/** A log on the server: its position is the number of lines. */
let lines: string[]
let gap: 'emptied' | null
let start: string | null
let mails: { id: string; subject: string; body: string; is_html: boolean }[]
const actions = (): Call[] => api.calls.filter(({ name }) => name === 'run_doc_method')
const args = (call: Call) => call.body['args'] as Record<string, string | undefined>
const reads = () => actions().filter(({ body }) => body['method'] === 'read_log')

/** Where lines begin that are not read at first. */
const earlier = 'p100'

function readLog({ after, before, containing }: Record<string, string | undefined>) {
  if (before !== undefined) {
    const found = containing === 'old' ? ['[23-Nov-2026 20:15:01 UTC] an old line'] : []
    // The first search ends without a match, and says where to go on.
    return before === earlier
      ? { lines: [], partial: '', end: 'p90', start: 'p50', more: false, gap: null }
      : { lines: found, partial: '', end: 'p50', start: null, more: false, gap: null }
  }
  const from = gap === null && after !== undefined ? Number(after) : 0
  const found = { lines: lines.slice(from), partial: '', end: String(lines.length), start, more: false, gap }
  gap = null
  return found
}

const mailHead = { at, to: 'ada@example.com', from: '', bytes: 10 }

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  lines = ['[24-Nov-2026 20:15:01 UTC] PHP Warning:  first', '[24-Nov-2026 20:15:02 UTC] PHP Warning:  first']
  gap = null
  start = null
  mails = [{ id: 'm1', subject: 'Order', body: '<p>Thanks<script>x</script></p>', is_html: true }]
  api.on(':method', () => ({ message: [] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities: { logs: { supported: true } } } }))
  api.on('run_doc_method', ({ body }) => {
    const given = (body['args'] ?? {}) as Record<string, string | undefined>
    switch (body['method']) {
      case 'read_log':
        return { message: readLog(given) }
      case 'clear_log':
        lines = []
        return { message: null }
      case 'list_mails': {
        if (given['known'] === `v${mails.length}`) return { message: null }
        const found = mails.filter(({ subject }) => subject.includes(given['search'] ?? ''))
        return {
          message: {
            version: `v${mails.length}`,
            total: found.length,
            partial: false,
            mails: found.map(({ id, subject }) => ({ ...mailHead, id, subject, attachments: 1, unreadable: false })),
          },
        }
      }
      case 'read_mail': {
        const mail = mails.find(({ id }) => id === given['mail'])
        const more = { headers: [], cut: false, attachments: [{ name: 'bill.pdf', bytes: 2_048 }] }
        return { message: { ...mailHead, ...more, ...mail } }
      }
      case 'delete_mail':
        mails = mails.filter(({ id }) => id !== given['mail'])
        return { message: null }
      default:
        return { message: null }
    }
  })
})
afterEach(() => {
  setOfflineSince(null)
  vi.useRealTimers()
})

const setup = (path = '/site/s1#logs', shown: Site = site) =>
  renderAs(
    owner,
    <TooltipProvider>
      <LogsTab site={shown} />
    </TooltipProvider>,
    path,
  )
const nextPoll = () => act(() => vi.advanceTimersByTimeAsync(pollMs + 50))
const log = () => screen.findByRole('log')

describe('a log', () => {
  test('shows its end with repeats folded, and what is added to it', async () => {
    setup()
    expect((await log()).textContent).toContain('2×')
    expect(screen.getAllByText('PHP Warning: first')).toHaveLength(1)
    lines.push('[24-Nov-2026 20:15:03 UTC] PHP Fatal error:  second', '#0 {main}')
    await nextPoll()
    expect((await log()).textContent).toContain('PHP Fatal error:  second\n#0 {main}')
    expect(args(reads().at(-1) as Call)).toEqual({ log: 'php', after: '2' })
  })

  test('goes on where it stopped after it was offline', async () => {
    setup()
    await log()
    act(() => setOfflineSince(Date.now()))
    const before = reads().length
    await nextPoll()
    await nextPoll()
    expect(reads()).toHaveLength(before)
    expect(screen.getByText(/Offline/)).toBeTruthy()
    lines.push('[24-Nov-2026 20:15:03 UTC] meanwhile')
    act(() => setOfflineSince(null))
    expect(await screen.findByText('meanwhile')).toBeTruthy()
    expect(args(reads()[before] as Call)).toEqual({ log: 'php', after: '2' })
  })

  test('is not read while the tab is hidden or the log is paused', async () => {
    const { user } = setup()
    await log()
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
    await nextPoll()
    const before = reads().length
    await nextPoll()
    expect(reads()).toHaveLength(before)
    hidden.mockRestore()
    act(() => void document.dispatchEvent(new Event('visibilitychange')))
    await waitFor(() => expect(reads()).toHaveLength(before + 1))
    await user.click(screen.getByRole('switch', { name: 'Follow' }))
    const paused = reads().length
    await nextPoll()
    expect(reads()).toHaveLength(paused)
    expect(screen.getByText('Paused')).toBeTruthy()
  })

  test('says where lines are missing', async () => {
    setup()
    await log()
    lines = ['[24-Nov-2026 20:16:00 UTC] new']
    gap = 'emptied'
    await nextPoll()
    expect((await log()).textContent).toMatch(/first.*emptied here.*new/s)
  })

  test('is searched and filtered by level', async () => {
    lines.push('[24-Nov-2026 20:15:03 UTC] PHP Notice:  other')
    const { user } = setup()
    await user.click(await screen.findByRole('button', { name: /^Notices/ }))
    expect((await log()).textContent).not.toContain('first')
    await user.click(screen.getByRole('button', { name: /^Notices/ }))
    await user.type(screen.getByRole('searchbox'), 'nothing')
    expect(await screen.findByText('No entry matches.')).toBeTruthy()
    expect(screen.getByText('0 matches')).toBeTruthy()
  })

  test('is searched back to its beginning, and forgets what it left out with the search', async () => {
    start = earlier
    const { user } = setup()
    await user.type(await screen.findByRole('searchbox'), 'old')
    expect(await screen.findByText('None of these entries match.')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Search earlier lines' }))
    expect(await screen.findByText('an old line')).toBeTruthy()
    expect(reads().map(args).slice(-2)).toEqual([
      { log: 'php', before: earlier, containing: 'old' },
      { log: 'php', before: 'p50', containing: 'old' },
    ])
    expect(screen.getByText('Beginning of the log')).toBeTruthy()
    await user.clear(screen.getByRole('searchbox'))
    await waitFor(() => expect(screen.queryByText('an old line')).toBeNull())
    expect(screen.getByRole('button', { name: 'Show earlier lines' })).toBeTruthy()
  })

  test('is emptied after a confirmation', async () => {
    const { user } = setup()
    await log()
    await user.click(screen.getByRole('button', { name: 'Empty log' }))
    await user.click(await screen.findByRole('button', { name: 'Empty log' }))
    expect(await screen.findByText('No PHP errors')).toBeTruthy()
    expect(
      actions()
        .filter(({ body }) => body['method'] === 'clear_log')
        .map(args),
    ).toEqual([{ log: 'php' }])
  })

  test('that did not load says so', async () => {
    api.on('run_doc_method', () => ({ status: 500, body: { exception: 'x' } }))
    setup()
    expect(await screen.findByText('The log did not load')).toBeTruthy()
  })
})

test('a site has the logs of its kind, and the URL says which is open', async () => {
  const { user } = setup('/site/s1?log=mail#logs', { ...site, site_type: 'php' })
  const group = screen.getByRole('group', { name: 'Logs' })
  expect([...group.querySelectorAll('button')].map(({ textContent }) => textContent)).toEqual([
    'PHP errors',
    'Access',
    'Mail',
    'Jobs',
  ])
  expect(await screen.findByText('Order')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'PHP errors' }))
  expect(await log()).toBeTruthy()
})

describe('the mailbox', () => {
  test('shows new mail, opens it without its scripts, and deletes it', async () => {
    const { user } = setup('/site/s1?log=mail#logs')
    await screen.findByText('Order')
    mails.unshift({ id: 'm2', subject: 'Newer', body: 'Plain', is_html: false })
    await nextPoll()
    await user.click(await screen.findByRole('button', { name: /Order/ }))
    const drawer = await screen.findByRole('dialog')
    await waitFor(() => expect(drawer.textContent).toContain('Thanks'))
    expect(drawer.querySelector('script')).toBeNull()
    expect(drawer.textContent).toContain('bill.pdf 2 KB')
    await user.click(screen.getByRole('button', { name: 'Show source' }))
    expect(drawer.textContent).toContain('<p>Thanks<script>x</script></p>')
    await user.click(screen.getByRole('button', { name: 'Delete' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(screen.queryByText('Order')).toBeNull())
    expect(screen.getByText('Newer')).toBeTruthy()
  })

  test('says where the mail is if the engine keeps none, and asks no more', async () => {
    api.on('run_doc_method', () => ({
      status: 417,
      body: {
        ...{ exc_type: 'ValidationError', code: 'unsupported', exception: 'Emails of this site are delivered.' },
        next_action: 'Turn on MailHog.',
      },
    }))
    setup('/site/s1?log=mail#logs')
    expect(await screen.findByText('Emails of this site are delivered. Turn on MailHog.')).toBeTruthy()
    await nextPoll()
    expect(actions()).toHaveLength(1)
    expect(screen.queryByRole('searchbox')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull()
  })

  test('is searched, and an email downloaded', async () => {
    mails.push({ id: 'm2', subject: 'Reset', body: 'Plain', is_html: false })
    const { user } = setup('/site/s1?log=mail#logs')
    await screen.findByText('Order')
    await user.type(screen.getByRole('searchbox', { name: 'Search mail' }), 'Reset')
    expect(await screen.findByText('1 match')).toBeTruthy()
    expect(screen.queryByText('Order')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Delete all' })).toBeNull()
    api.on('easydash.api.site.download_mail', () => ({ status: 500, body: { exception: 'x' } }))
    await user.click(await screen.findByRole('button', { name: /Reset/ }))
    await screen.findByRole('dialog')
    await user.click(screen.getByRole('button', { name: 'Download' }))
    await waitFor(() => expect(api.calls.some(({ name }) => name === 'easydash.api.site.download_mail')).toBe(true))
    await user.keyboard('{Escape}')
    await user.type(screen.getByRole('searchbox', { name: 'Search mail' }), ' not there')
    expect(await screen.findByText('No mail matches')).toBeTruthy()
  })

  test('without mail says what happens to mail', async () => {
    mails = []
    setup('/site/s1?log=mail#logs')
    expect(await screen.findByText('No mail yet')).toBeTruthy()
  })
})

test('more jobs are listed on request', async () => {
  const limits: unknown[] = []
  api.on('frappe.client.get_list', ({ body }) => {
    limits.push(body['limit_page_length'])
    return {
      message: Array.from({ length: 50 }, (_, at) => ({
        ...{ name: `j${at}`, label: 'Restart', reference_title: 'blog', status: 'Done' },
        creation: '2026-11-24 20:15:01.000000',
      })),
    }
  })
  const { user } = setup('/site/s1?log=jobs#logs')
  await user.click(await screen.findByRole('button', { name: 'Show older' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Show older' })).toBeNull())
  expect(limits).toEqual([50, 100])
})
