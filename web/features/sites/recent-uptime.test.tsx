import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { recentHours, type RecentUptime } from '#shared/responses/uptime.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { RecentUptimeCell, RecentUptimeLater } from './recent-uptime-later.tsx'

const api = apiServer()

const day = (last: Partial<Record<number, RecentUptime['states'][number]>>, availability: number | null) => ({
  states: Array.from({ length: recentHours }, (_, at) => last[at] ?? null),
  ms: Array.from({ length: recentHours }, (_, at) => (last[at] === 'up' ? 200 : null)),
  availability,
})

test('the days of all rows are one read, in their order; what is not known shows nothing', async () => {
  const days: Record<string, unknown> = {
    s1: day({ 22: 'up', 23: 'down' }, 0.99999),
    s2: day({ 23: 'asleep' }, null),
    s3: null,
    s4: day({ 23: 'down' }, 0),
  }
  api.on('easydash.api.site.recent_uptime', ({ body }) => ({
    message: (body['sites'] as string[]).map((site) => days[site]),
  }))
  const { container } = renderAs(
    owner,
    <RecentUptimeLater>
      {Object.keys(days).map((site) => (
        <RecentUptimeCell key={site} site={site} />
      ))}
    </RecentUptimeLater>,
  )
  // One that failed is never rounded to all.
  const text = 'Last 24 hours: 99.99% of the checks got an answer, in 0.2 s on average'
  expect(await screen.findByRole('img', { name: text })).toBeTruthy()
  expect(screen.getByRole('img', { name: 'Last 24 hours: 0% of the checks got an answer' })).toBeTruthy()
  expect(container.querySelectorAll('svg')).toHaveLength(2)
  const [first] = container.querySelectorAll('svg')
  const bars = [...(first?.querySelectorAll('path') ?? [])].map(
    (path) => (path.getAttribute('d') ?? '').split('M').length - 1,
  )
  expect(bars).toEqual([1, 1, 0, 1, 0])
  expect(api.calls.filter(({ name }) => name.endsWith('recent_uptime')).map(({ body }) => body['sites'])).toEqual([
    ['s1', 's2', 's3', 's4'],
    // A row that nothing was said about is asked for by itself.
    ['s3'],
  ])
})
