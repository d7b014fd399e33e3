import { screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { BulkBar } from './bulk-bar.tsx'

const api = apiServer()
beforeEach(() => api.on(':method', () => ({ message: {} })))
afterEach(() => vi.unstubAllGlobals())

/** Renders the bar for a live WordPress site in a window of this width. */
function open(width: number) {
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: width >= Number(/min-width: (\d+)px/.exec(query)?.[1]),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }))
  const row = { name: 's1', domain: 'shop', status: 'Live', site_type: 'wp', engine: 'local' }
  const selection = {
    rows: [row],
    has: () => true,
    toggle: () => undefined,
    add: () => undefined,
    clear: () => undefined,
  }
  const { user } = renderAs(
    owner,
    <BulkBar
      type={SiteDoctype}
      selection={selection as never}
      total={1}
      except={[]}
      extra={<button>Share…</button>}
      readAll={() => Promise.resolve([row])}
    />,
  )
  const bar = screen.getByRole('region', { name: 'Selected rows' })
  const names = () =>
    within(bar)
      .getAllByRole('button')
      .map(({ textContent }) => textContent)
  return { user, bar, names }
}

test.each([
  [390, ['Share…', 'More actions']],
  [1024, ['Back up…', 'Share…', 'More actions']],
  [1440, ['Back up…', 'Clear cache', 'Verify checksums', 'Change PHP version…', 'Share…', 'More actions']],
])('in a window of %i px, as many actions as have room are buttons, frequent ones first', async (width, inline) => {
  const { user, bar, names } = open(width)
  expect(names().slice(0, -1)).toEqual(inline)
  await user.click(within(bar).getByRole('button', { name: 'More actions' }))
  const items = (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent ?? '')
  expect(items.at(-1)).toMatch(/^Archive…/)
  for (const text of inline) expect(items).not.toContain(text)
})
