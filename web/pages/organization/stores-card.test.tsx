import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { Organization } from '#shared/doctypes/organization.ts'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { StoresCard } from './stores-card.tsx'

const api = apiServer()
const organization = { name: 'acme', title: 'Acme' } as Organization
let chosen = 'local'

beforeEach(() => {
  chosen = 'local'
  api.on('easydash.api.backups.stores', () => ({
    message: {
      default: chosen,
      stores: [
        {
          store: 'local',
          label: null,
          status: null,
          usage: { backups: 1, bytes: 2_000_000 },
          price: null,
          unknown: null,
        },
        {
          store: 'k1',
          label: 'Archive',
          status: 'Connected',
          usage: { backups: 12, bytes: 3_000_000_000 },
          price: { amount: 0.02, currency: 'EUR' },
          unknown: { count: 2, bytes: 1_000_000 },
        },
      ],
    },
  }))
  api.on('resource/Organization/acme', ({ body }) => {
    if (typeof body['backup_store'] === 'string') chosen = body['backup_store']
    return { data: organization }
  })
})

const open = (session = owner) =>
  renderAs(
    session,
    <TooltipProvider>
      <StoresCard organization={organization} />
    </TooltipProvider>,
  )

test('says what is in each store, and sends new backups to another one', async () => {
  const { user } = open()
  const bucket = within(await screen.findByRole('listitem', { name: 'Archive' }))
  expect(bucket.getByText('12 backups, 2.8 GB')).toBeTruthy()
  expect(bucket.getByText(/^2 archives \(977 KB\) in it belong to no backup/)).toBeTruthy()
  expect(bucket.getByText('about €0.06 a month')).toBeTruthy()
  const local = within(screen.getByRole('listitem', { name: 'This installation' }))
  expect(local.getByText('New backups go here')).toBeTruthy()
  // Nobody entered what it costs.
  expect(local.queryByText(/a month/)).toBeNull()
  await user.click(bucket.getByRole('button', { name: 'Store backups here: Archive' }))
  await waitFor(() => expect(bucket.getByText('New backups go here')).toBeTruthy())
  expect(api.calls.find(({ verb }) => verb === 'PUT')?.body).toMatchObject({ backup_store: 'k1' })
})

test('who cannot change the organization sees them only', async () => {
  open(member)
  expect(await screen.findByText('12 backups, 2.8 GB')).toBeTruthy()
  expect(screen.queryByRole('button')).toBeNull()
})
