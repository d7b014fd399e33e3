import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { hoursAgo } from '#tests/web/hours-ago.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { signedOut } from '#web/lib/session/session.tsx'
import { NotificationBell } from './notification-bell.tsx'

const api = apiServer()
const row = { subject_i18n: null, body_i18n: null, reference_doctype: 'Site', created: `${hoursAgo(2)}000`, job: null }

/** Notifications as the server has them. */
function setup() {
  const rows = [
    {
      ...row,
      name: 'n1',
      subject: 'blog is down',
      body: 'It does not answer.',
      event: 'site_down',
      severity: 'critical',
      read: 0,
    },
    {
      ...row,
      name: 'n2',
      subject: 'Failed: Clone shop',
      body: null,
      event: 'job_failed',
      severity: 'warning',
      read: 0,
    },
    { ...row, name: 'n3', subject: 'shop is up again', body: null, event: 'site_up', severity: 'info', read: 1 },
  ].map((one) => ({ ...one, reference_name: 's1', job: one.event === 'job_failed' ? 'j1' : null }))
  api.on('frappe.client.get_list', () => ({ message: rows }))
  api.on('frappe.client.get_count', () => ({ message: rows.filter(({ read }) => read === 0).length }))
  for (const one of rows)
    api.on(`resource/Notification%20Log/${one.name}`, ({ body }) => ({ data: Object.assign(one, body) }))
  api.on('easydash.api.notifications.mark_all_read', () => {
    for (const one of rows) one.read = 1
    return { message: null }
  })
  return renderAs(owner, <NotificationBell />)
}
const bell = (count: string) => screen.findByRole('button', { name: `Notifications${count}` })

test('the bell counts what is unread; following one, or its button, marks it as read', async () => {
  const { user } = setup()
  await user.click(await bell(', 2 unread'))
  const panel = within(await screen.findByRole('dialog', { name: 'Notifications' }))
  const links = within(await panel.findByRole('list', { name: 'Notifications' })).getAllByRole('link')
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['Critical: blog is down', '/site/s1#monitoring'],
    ['Warning: Failed: Clone shop', '/site/s1?job=j1'],
    ['Info: shop is up again', '/site/s1#monitoring'],
  ])
  await user.click(panel.getByRole('button', { name: 'Mark as read: Failed: Clone shop' }))
  await bell(', 1 unread')
  expect(panel.queryByRole('button', { name: /Clone shop/ })).toBeNull()
  await user.click(links[0] as HTMLElement)
  await bell('')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(api.calls.filter(({ verb }) => verb === 'PUT').map(({ name, body }) => [name, body])).toEqual([
    ['resource/Notification%20Log/n2', { read: 1 }],
    ['resource/Notification%20Log/n1', { read: 1 }],
  ])
})

test('all are marked at once, and without an organization nothing is asked', async () => {
  const { user, unmount } = setup()
  await user.click(await bell(', 2 unread'))
  await user.click(await screen.findByRole('button', { name: 'Mark all as read' }))
  await bell('')
  expect(screen.queryByRole('button', { name: 'Mark all as read' })).toBeNull()
  unmount()
  const before = api.calls.length
  renderAs({ ...signedOut, user: 'nobody@example.com', verified: true }, <NotificationBell />)
  await bell('')
  expect(api.calls).toHaveLength(before)
})
