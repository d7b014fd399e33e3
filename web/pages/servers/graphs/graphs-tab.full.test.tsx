import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Server } from '#shared/doctypes/server.ts'
import type { ServerMetrics } from '#shared/responses/server-metrics.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { GraphsTab } from './graphs-tab.tsx'
import { measuredAt, missingAt } from './samples-fixture.ts'

const api = apiServer()
const getMetrics = 'easydash.easydash.doctype.server.server.get_metrics'
const start = 1_800_000_000
const server = { name: 'v1', hostname: 'web-1', engine: 'ee', cpu: 4 } as Server
let found: ServerMetrics
/** What was drawn on canvases since the start of the test. */
let drawn: string[]

beforeEach(() => {
  const slots = Array.from({ length: 12 }, (_, slot) => start + slot * 300)
  found = {
    interval: 300,
    samples: slots.map((at, slot) => (slot > 4 && slot < 7 ? missingAt(at) : measuredAt(at, 20 + slot))),
  }
  api.on(getMetrics, () => ({ message: found }))
  api.on('frappe.client.get_list', () => ({
    message: [
      { name: 'a2', creation: '2027-01-15 08:50:00.000000', action: 'Server.update', detail: null, detail_i18n: null },
      { name: 'a1', creation: '2027-01-15 08:10:00.000000', action: 'Server.insert', detail: null, detail_i18n: null },
    ],
  }))
  drawn = []
  // What the document of the tests lacks: a size, and canvases that can be drawn on.
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(668)
  const context = new Proxy<Record<string, unknown>>(
    {},
    {
      get: (values, name: string) =>
        values[name] ?? (name === 'measureText' ? () => ({ width: 20 }) : () => void drawn.push(name)),
      set: (values, name: string, value) => Boolean(Object.assign(values, { [name]: value })),
    },
  )
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(context as never)
  vi.stubGlobal(
    'Path2D',
    class {
      moveTo() {}
      lineTo() {}
      rect() {}
      closePath() {}
    },
  )
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const open = (of: Partial<Server> = {}) =>
  renderAs(
    owner,
    <TooltipProvider>
      <GraphsTab server={{ ...server, ...of }} />
    </TooltipProvider>,
    '/server/v1#graphs',
  )
const card = (title: string) => screen.getByRole('heading', { name: title }).closest('section') as HTMLElement
const slider = () => screen.findByRole('slider', { name: 'Point in time' })

test('shows six graphs with their newest values, from the last day at first', async () => {
  open()
  expect((await screen.findAllByRole('img')).map((graph) => graph.getAttribute('aria-label')?.split(',')[0])).toEqual([
    ...['CPU', 'Load average', 'Memory', 'Swap', 'Disk', 'Network'],
  ])
  expect(api.calls.find(({ name }) => name === getMetrics)?.body).toEqual({ server: 'v1', range: '24h' })
  expect(card('CPU').textContent).toBe('CPU4 coresUser 26%Total 31%')
  expect(card('Load average').textContent).toContain('4 is full1 min 0.50')
  expect(card('Network').textContent).toContain('eth0In 0 bit/s')
  expect(document.querySelectorAll('.uplot canvas')).toHaveLength(6)
  // Stripes of the gap, and the dashed lines of the events.
  await waitFor(() => expect(drawn).toEqual(expect.arrayContaining(['clip', 'setLineDash'])))
})

test('one crosshair is in all graphs: with the pointer over one of them, or with the keys', async () => {
  const { user } = open()
  const point = await slider()
  const places = () => [...document.querySelectorAll<HTMLElement>('.u-cursor-x')].map(({ style }) => style.transform)
  await waitFor(() => expect(document.querySelectorAll('.u-over')).toHaveLength(6))
  fireEvent.mouseMove(document.querySelector('.u-over') as Element, { clientX: 50, clientY: 10 })
  await waitFor(() => expect(card('CPU').textContent).toContain('Total 21%'))
  await waitFor(() => expect(new Set(places())).toEqual(new Set(['translate(54px,0px)'])))
  fireEvent.change(point, { target: { value: '10' } })
  expect(card('CPU').textContent).toContain('Total 30%')
  expect(point.getAttribute('aria-valuetext')).toMatch(/: CPU 30%, Load average 0\.10, Memory 6\.5 GB, /)
  fireEvent.change(point, { target: { value: '5' } })
  expect(point.getAttribute('aria-valuetext')).toContain('No data')
  expect(new Set(places()).size).toBe(1)
  point.focus()
  await user.tab()
  expect(card('CPU').textContent).toContain('Total 31%')
})

test('a part is zoomed to by dragging or with plus, and left again', async () => {
  const { user } = open()
  const point = await slider()
  const over = await waitFor(() => {
    const plots = document.querySelectorAll('.u-over')
    expect(plots).toHaveLength(6)
    return plots[0] as Element
  })
  const range = () => [point.getAttribute('min'), point.getAttribute('max')]
  expect(range()).toEqual(['0', '11'])
  // 600 pixels wide, without the axis.
  fireEvent.mouseMove(over, { clientX: 300, clientY: 10 })
  fireEvent.mouseDown(over, { button: 0, clientX: 300, clientY: 10 })
  fireEvent.mouseMove(over, { clientX: 590, clientY: 10, movementX: 300 })
  fireEvent.mouseUp(document, { button: 0, clientX: 600, clientY: 10 })
  await waitFor(() => expect(range()).toEqual(['6', '10']))
  await user.click(screen.getByRole('button', { name: 'Reset zoom' }))
  expect(range()).toEqual(['0', '11'])
  point.focus()
  await user.keyboard('+')
  await waitFor(() => expect(Number(range()[0])).toBeGreaterThan(5))
  await user.keyboard('{Escape}')
  expect(range()).toEqual(['0', '11'])
})

test('events open with their time, and can be hidden', async () => {
  const { user } = open()
  const [label] = await screen.findAllByRole('button', { name: 'Changed the server' })
  await user.click(label as Element)
  const link = within(await screen.findByRole('dialog', { name: 'Changed the server' })).getByRole('link')
  expect(link.getAttribute('href')).toMatch(/activity=a2#activities$/)
  await user.keyboard('{Escape}')
  await user.click(screen.getByRole('switch', { name: 'Events' }))
  expect(screen.queryByRole('button', { name: 'Changed the server' })).toBeNull()
})

test('the samples are a table, and a file', async () => {
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'View as table' }))
  const rows = screen.getAllByRole('row')
  expect(rows).toHaveLength(11)
  expect(within(rows[1] as HTMLElement).getAllByRole('cell')[1]?.textContent).toBe('31%')
  const made = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:it')
  const saved = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
  await user.click(screen.getByRole('button', { name: 'Download CSV' }))
  const [file] = made.mock.calls[0] ?? []
  expect(await (file as Blob).text()).toContain('cpu.total')
  expect((saved.mock.contexts[0] as HTMLAnchorElement).download).toBe('web-1-24h.csv')
})

test('a range is read when it is chosen, and one without samples says how they come', async () => {
  const { user } = open()
  found = { interval: 300, samples: found.samples.slice(0, 3).map(({ timestamp }) => missingAt(timestamp)) }
  await user.click(await screen.findByRole('button', { name: '1 h' }))
  expect(await screen.findByText(/Easydash reads these by SSH, because servers cannot reach EASYDASH_URL/)).toBeTruthy()
  const last = () => api.calls.filter(({ name }) => name === getMetrics).at(-1)?.body
  await waitFor(() => expect(last()).toEqual({ server: 'v1', range: '1h' }))
  expect(screen.getByRole('button', { name: '1 h' }).getAttribute('aria-pressed')).toBe('true')
})

test('samples that could not be read can be asked for again', async () => {
  api.on(getMetrics, () => ({ status: 403, body: { exc_type: 'PermissionError' } }))
  open()
  expect(await screen.findByText('The samples could not be read')).toBeTruthy()
})
