import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import { Checklist } from './checklist.tsx'

const api = apiServer()
let chosen = 'local'
beforeEach(() => {
  chosen = 'local'
  api.on('frappe.client.get_count', () => ({ message: 1 }))
  api.on('easydash.api.backups.stores', () => ({
    message: {
      default: chosen,
      stores: [
        { store: 'local', label: null, status: null, usage: null, price: null, unknown: null },
        { store: 'k1', label: 'Archive', status: 'Connected', usage: null, price: null, unknown: null },
      ],
    },
  }))
})

const open = (session = owner) =>
  renderAs(session, <Checklist organization={{ name: 'acme', title: 'Acme', owner: session === owner }} />)

test('where backups go is still to be chosen, and done once it is a bucket', async () => {
  const { unmount } = open()
  const link = await screen.findByRole('link', { name: 'Choose' })
  expect(link.getAttribute('href')).toBe('/organization#backup_providers')
  expect(screen.getByRole('img', { name: '2 of 5 steps done' })).toBeTruthy()
  unmount()
  chosen = 'k1'
  open()
  expect(await screen.findByRole('img', { name: '3 of 5 steps done' })).toBeTruthy()
  const row = screen.getAllByRole('listitem').find((one) => within(one).queryByText('Choose where backups go'))
  expect(row?.textContent).toBe('Choose where backups goArchiveDone')
})

test('who cannot choose it is not asked', async () => {
  open(member)
  expect(await screen.findByRole('img', { name: '2 of 3 steps done' })).toBeTruthy()
  expect(screen.queryByText('Choose where backups go')).toBeNull()
  expect(api.calls.some(({ name }) => name === 'easydash.api.backups.stores')).toBe(false)
})
