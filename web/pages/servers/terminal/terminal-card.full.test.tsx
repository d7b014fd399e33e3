import { act, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Server } from '#shared/doctypes/server.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { ApiError } from '#web/lib/api/api-error.ts'
import { openSocketStream, type SocketStream, type StreamListener } from '#web/lib/events/socket-stream.ts'
import { TerminalCard } from './terminal-card.tsx'

// What xterm draws needs a real browser (tests/e2e/terminal.full.e2e.ts).
vi.mock(import('@xterm/xterm'), async (importOriginal) => ({
  ...(await importOriginal()),
  Terminal: FakeTerminal as never,
}))
vi.mock(import('@xterm/addon-fit'), () => ({
  FitAddon: class {
    fit() {}
  } as never,
}))
vi.mock(import('#web/lib/events/socket-stream.ts'), () => ({ openSocketStream: vi.fn() }))

class FakeTerminal {
  static last: FakeTerminal
  readonly options: Record<string, unknown> = {}
  readonly textarea = document.createElement('textarea')
  readonly cols = 80
  readonly rows = 24
  written = ''
  constructor() {
    FakeTerminal.last = this
  }
  type: (text: string) => void = () => undefined
  onKey: (event: KeyboardEvent) => boolean = () => true
  write(bytes: Uint8Array, done: () => void) {
    this.written += new TextDecoder().decode(bytes)
    done()
  }
  onData(listener: (text: string) => void) {
    this.type = listener
  }
  attachCustomKeyEventHandler(listener: (event: KeyboardEvent) => boolean) {
    this.onKey = listener
  }
  open(host: HTMLElement) {
    host.append(this.textarea)
  }
  onResize() {}
  loadAddon() {}
  focus() {}
  dispose() {}
}

const api = apiServer()
const stream = { send: vi.fn(), control: vi.fn(), end: vi.fn(), close: vi.fn() } satisfies SocketStream
let listener: StreamListener
beforeEach(() => {
  vi.mocked(openSocketStream).mockImplementation((_kind, _params, listening) => {
    listener = listening
    return stream
  })
})

async function setup(more: Partial<Server> = {}) {
  const server = { name: 'v1', hostname: 'web-1', status: 'Healthy', engine: 'ee', organization: 'acme', ...more }
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  api.on('resource/User%20Meta/owner%40acme.example', () => ({ data: { name: 'm', preferences: {} } }))
  api.on('run_doc_method', () => ({ message: { terminal: 't1' } }))
  const changed = vi.fn()
  const { user, unmount } = renderAs(owner, <TerminalCard server={server as Server} onChange={changed} />)
  return { user, unmount, changed }
}

async function opened() {
  const given = await setup()
  await given.user.click(screen.getByRole('button', { name: 'Open terminal' }))
  await screen.findByText(/^To leave the terminal/)
  expect(openSocketStream).toHaveBeenLastCalledWith(
    'server-terminal',
    { terminal: 't1', columns: 80, rows: 24 },
    expect.anything(),
  )
  return given
}

test('a terminal is opened, typed into, closed, and its end is told', async () => {
  const { user, changed } = await opened()
  expect(screen.getByText('Connecting…')).toBeTruthy()
  const done = vi.fn()
  act(() => listener.data(new TextEncoder().encode('# '), done))
  expect(FakeTerminal.last.written).toBe('# ')
  expect(done).toHaveBeenCalledOnce()
  expect(screen.queryByText('Connecting…')).toBeNull()
  FakeTerminal.last.type('id\r')
  expect(stream.send).toHaveBeenLastCalledWith('id\r')
  await user.click(screen.getByRole('button', { name: 'Close terminal' }))
  expect(stream.end).toHaveBeenCalledOnce()
  act(() => listener.end({ end: 'left', code: null }))
  expect(screen.getByText('The terminal was closed.')).toBeTruthy()
  expect(FakeTerminal.last.options['disableStdin']).toBe(true)
  expect(changed).toHaveBeenCalledTimes(2)
  expect(screen.getByRole('button', { name: 'Open a new terminal' })).toBeTruthy()
})

test('what xterm needs of all spans ends with the terminal', async () => {
  const isChanged = () => Object.hasOwn(HTMLSpanElement.prototype, 'setAttribute')
  const { unmount } = await opened()
  expect(isChanged()).toBe(true)
  unmount()
  expect(isChanged()).toBe(false)
})

test('Tab belongs to the shell, and after Escape to the page', async () => {
  await opened()
  const press = (key: string) => FakeTerminal.last.onKey(new KeyboardEvent('keydown', { key }))
  expect([press('Tab'), press('Escape'), press('Tab')]).toEqual([true, true, false])
  expect([press('Escape'), press('a'), press('Tab')]).toEqual([true, true, true])
  expect([press('Escape'), press('Shift'), press('Tab')]).toEqual([true, true, false])
  const hint = FakeTerminal.last.textarea.getAttribute('aria-describedby')
  expect(document.getElementById(String(hint))?.textContent).toContain('press Esc, then Tab')
})

test.each([
  [
    () => listener.fail(new ApiError('The SSH host key of 192.0.2.1 changed.', { nextAction: 'Confirm it.' })),
    /Confirm it/,
  ],
  [() => listener.lose(), /connection to Easydash broke/],
  [() => listener.end({ end: 'idle', code: null }), /nobody typed anything for 15 minutes/],
  [() => listener.end({ end: 'stopped', code: null }), /Easydash is restarting/],
  [() => listener.end({ end: 'something new' }), /between Easydash and the server broke/],
])('why it ended is said (%#)', async (happens, text) => {
  await opened()
  act(happens)
  expect(screen.getByText(text)).toBeTruthy()
})

test('without a terminal there is the reason', async () => {
  await setup({ status: 'Provisioning' })
  const button = screen.getByRole('button', { name: 'Open terminal' })
  expect(button.getAttribute('aria-disabled')).toBe('true')
  expect(screen.getByText(/it is Provisioning now/)).toBeTruthy()
})
