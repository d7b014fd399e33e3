import { describe, expect, it } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import type { RelativeTime } from '#web/ui/time.tsx'
import { archiveEnds, siteSummary } from './site-summary.ts'
import { missingSiteNotice } from './site-not-found.tsx'

const now = Date.UTC(2025, 10, 20, 12)
const site = (values: Partial<Site>): Site =>
  ({
    name: 's1',
    domain: 'blog',
    site_type: 'wp',
    status: 'Live',
    health: 'Up',
    response_ms: 214.4,
    health_checked_at: '2025-11-20 11:58:30.000000',
    wordpress_version: '6.9',
    php_version: '8.4',
    disk_used: 60 * 1024 * 1024,
    ...values,
  }) as Site
const cardValues = (values: Partial<Site>, server: string | null = 'this-machine') =>
  siteSummary(site(values), { title: server }, now).map((entry) => entry.value)

describe('siteSummary', () => {
  it('summarizes a site in sentences', () => {
    const [up, ...others] = siteSummary(site({}), { title: 'this-machine', href: '/server/m1' }, now)
    expect(up).toMatchObject({
      value: 'Up, answering in 214 ms',
      tone: 'ok',
      detail: { value: '2025-11-20 11:58:30.000000' },
    })
    const checked = up?.detail as RelativeTime | undefined
    expect(checked?.format('2 minutes ago')).toBe('Checked 2 minutes ago')
    expect(others).toMatchObject([
      { value: 'WordPress 6.9', detail: 'PHP 8.4' },
      { value: 'On this-machine', href: '/server/m1', detail: '60 MB on disk' },
    ])
  })

  it('never reports a site as up if its status says otherwise, whatever its last health was', () => {
    expect(cardValues({ status: 'Setting Up' })[0]).toBe('Setting Up…')
    expect(cardValues({ status: 'Failed' })[0]).toBe('Down: setup failed')
    expect(cardValues({ status: 'Archived' })).toEqual(['Archived', 'None running', 'Packed in the archive'])
    expect(cardValues({ status: 'Restoring' })[1]).toBe('None running')
    for (const status of ['Archived', 'Restoring'] as const)
      expect(siteSummary(site({ status, disk_used: 0 }), { title: 'this-machine' }, now)[2]?.detail).toBeUndefined()
  })

  it('says nothing about a server that the user cannot see, and waits for one that is loading', () => {
    const files = (title: string | null | undefined) => siteSummary(site({}), { title, href: '/server/m1' }, now)[2]
    expect(files(null)).toMatchObject({ value: '60 MB on disk', detail: undefined, href: undefined })
    expect(files(undefined)).toMatchObject({ value: null, href: undefined })
  })

  it('distinguishes slow, down and not checked', () => {
    expect(cardValues({ health: 'Slow', response_ms: 3940 })[0]).toBe('Slow, answering in 3.9 s')
    expect(cardValues({ health: 'Down' })[0]).toBe('Down')
    expect(cardValues({ health: 'Not Checked', response_ms: null })[0]).toBe('Not checked yet')
  })

  it('a sleeping site is asleep, and a check that is missing is not passed off as current', () => {
    const [asleep] = siteSummary(site({ health: 'Asleep' }), { title: null }, now)
    expect(asleep).toMatchObject({ value: 'Asleep', tone: 'off' })
    expect((asleep?.detail as RelativeTime | undefined)?.format('5 minutes ago')).toBe(
      'The next visit wakes it. Checked 5 minutes ago',
    )
  })

  it.each([
    ['Up', 'Last checked 3 minutes ago: the next check is late'],
    ['Slow', 'Last checked 3 minutes ago: the next check is late'],
    ['Down', 'Last checked 3 minutes ago, not since'],
  ] as const)('%s: says that its check is late after one interval and a moment to read it', (health, late) => {
    const detailAt = (checked: string, when: string) => {
      const values = { health, failure_reason: 'No answer.', health_checked_at: `2025-11-20 ${checked}.000000` }
      const [card] = siteSummary(site(values), { title: null }, now)
      return (card?.detail as RelativeTime | undefined)?.format(when)
    }
    // Checks run every minute, and the page reads a due one again every 30 seconds.
    expect(detailAt('11:58:30', '2 minutes ago')).toBe('Checked 2 minutes ago')
    expect(detailAt('11:58:29', '3 minutes ago')).toBe(late)
  })

  it('shows no PHP for HTML sites, and waits for the server’s name', () => {
    const [, runs, files] = siteSummary(site({ site_type: 'html' }), { title: undefined }, now)
    expect(runs).toMatchObject({ value: 'HTML', detail: undefined })
    expect(files?.value).toBeNull()
  })
})

it('archives are kept for 30 days', () => {
  expect(archiveEnds(new Date(now))?.toISOString()).toBe('2025-12-20T12:00:00.000Z')
  expect(archiveEnds(null)).toBeNull()
})

describe('a missing site', () => {
  const job = { name: 'j1', reference_title: 'blog', outcome: null, outcome_i18n: null } as const

  it('shows the outcome of the job that removed it', () => {
    expect(
      missingSiteNotice({
        ...job,
        job_type: 'site.create',
        status: 'Cancelled',
        outcome: 'Canceled by Ann; the site was removed',
      }),
    ).toEqual({
      text: 'Canceled by Ann; the site was removed',
      lang: 'en',
      job: 'j1',
    })
    expect(missingSiteNotice({ ...job, job_type: 'site.delete', status: 'Done' })).not.toHaveProperty('lang')
    expect(missingSiteNotice({ ...job, job_type: 'site.delete', status: 'Done' })?.text).toBe(
      'blog was permanently deleted.',
    )
  })

  it('shows no notice for other jobs', () => {
    expect(missingSiteNotice({ ...job, job_type: 'site.create', status: 'Done' })).toBeNull()
    expect(missingSiteNotice({ ...job, job_type: 'site.delete', status: 'Failed' })).toBeNull()
  })
})
