import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import { RunningCopies } from './running-copies.tsx'

const api = apiServer()
const site = { name: 's1', status: 'Live' } as Site

function setup(copies: readonly object[], isReadable = true): void {
  const steps = [{ key: 'copy', label: 'Copy files and database', status: 'Running', percent: 40 }]
  api.on('resource/Job/:any', () => ({ data: { name: 'j1', status: 'Running', label: 'Clone blog to shop', steps } }))
  api.on('frappe.client.get_list', ({ body }) => ({
    message: body['doctype'] === 'Site' ? copies : isReadable ? [{ name: 'j1' }] : [],
  }))
}

test('the page of a site shows the copies that are being made of it, with their steps', async () => {
  setup([
    { name: 's2', domain: 'shop', staging_of: null, locked_by_job: 'j1' },
    { name: 's3', domain: 'blog-staging', staging_of: 's1', locked_by_job: 'j2' },
  ])
  renderAs(owner, <RunningCopies site={site} />)
  const clone = await screen.findByRole('link', { name: 'Clone to shop is running' })
  expect(clone.getAttribute('href')).toBe('/site/s2')
  const staging = screen.getByRole('link', { name: 'The staging site blog-staging is being created' })
  expect(staging.getAttribute('href')).toBe('/site/s3')
  expect(await screen.findAllByText('Copy files and database')).toHaveLength(2)
  expect(screen.getAllByRole('button', { name: 'Show steps' })).toHaveLength(2)
  expect(api.calls.find(({ body }) => body['doctype'] === 'Site')?.body['filters']).toEqual([
    ['cloned_from', '=', 's1'],
    ['status', '=', 'Setting Up'],
  ])
})

test('a copy is called by its title, or by its address if its source has the same title', async () => {
  setup([
    { name: 's2', domain: 'shop', title: 'My shop', staging_of: null, locked_by_job: 'j1' },
    { name: 's3', domain: 'blog-staging', title: 'My blog', staging_of: 's1', locked_by_job: 'j2' },
  ])
  renderAs(owner, <RunningCopies site={{ ...site, domain: 'blog', title: 'My blog' }} />)
  expect(await screen.findByRole('link', { name: 'Clone to My shop is running' })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'The staging site blog-staging is being created' })).toBeTruthy()
})

test('members see that another person’s copy is running, without its steps', async () => {
  setup([{ name: 's2', domain: 'shop', staging_of: null, locked_by_job: 'j1' }], false)
  renderAs(member, <RunningCopies site={site} />)
  expect(await screen.findByRole('link', { name: 'Clone to shop is running' })).toBeTruthy()
  await waitFor(() => expect(screen.queryByRole('button')).toBeNull())
  expect(api.calls.some(({ name }) => name.startsWith('resource/Job'))).toBe(false)
})

test('nothing is shown without a copy, or for one that no job works on', async () => {
  setup([{ name: 's2', domain: 'shop', staging_of: null, locked_by_job: null }])
  const { container } = renderAs(owner, <RunningCopies site={site} />)
  await expect.poll(() => api.calls.length).toBeGreaterThan(0)
  expect(container.textContent).toBe('')
})
