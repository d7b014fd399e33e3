import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { ShareSitesButton } from './share-sites-button.tsx'

const api = apiServer()
const rows = ['a', 'b'].map(
  (name) => ({ name, domain: name, status: 'Live', owner: 'ben@acme.example' }) as RowOf<Site>,
)

function setup(from = 0, session = owner) {
  const people = [
    { name: 'ben@acme.example', full_name: 'Ben Dahl' },
    { name: 'cleo@acme.example', full_name: null },
    { name: 'ada@acme.example', full_name: 'Ada Berg' },
  ].slice(from)
  api.on('frappe.client.get_list', () => ({ message: people }))
  api.on('frappe.client.get_count', () => ({ message: people.length }))
  api.on('run_doc_method', ({ body }) => ({
    message: body['method'] === 'list_privileged' ? ['ada@acme.example'] : {},
  }))
  const onShared = vi.fn()
  const rendered = renderAs(
    session,
    <TooltipProvider>
      <ShareSitesButton rows={rows} onShared={onShared} />
    </TooltipProvider>,
  )
  return { onShared, ...rendered }
}

test('selected sites are shared with the chosen member, each with the chosen access', async () => {
  const { user, onShared } = setup()
  await user.click(screen.getByRole('button', { name: 'Share…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Share 2 sites' }))
  const people = await dialog.findByLabelText('Member')
  // Ada can access every site.
  expect(
    within(people)
      .getAllByRole('option')
      .map(({ textContent }) => textContent),
  ).toEqual(['Choose a member', 'Ben Dahl (ben@acme.example)', 'cleo@acme.example'])
  await user.click(dialog.getByRole('button', { name: 'Share (2)' }))
  expect(dialog.getByText('Choose a member.')).toBeTruthy()
  expect(onShared).not.toHaveBeenCalled()
  await user.selectOptions(people, 'Ben Dahl (ben@acme.example)')
  await user.selectOptions(dialog.getByLabelText('Access'), 'Can edit')
  await user.click(dialog.getByRole('button', { name: 'Share (2)' }))
  expect(onShared).toHaveBeenCalledOnce()
  await waitFor(() => {
    const shares = api.calls
      .filter(({ name, body }) => name === 'run_doc_method' && body['method'] === 'share')
      .map(({ body }) => [body['dn'], body['args']])
    const args = { user: 'ben@acme.example', read: 1, write: 1, share: 0 }
    expect(shares).toEqual([
      ['a', args],
      ['b', args],
    ])
  })
})

test('a member who may share sites is not offered themself', async () => {
  const { user } = setup(0, { ...member, user: 'ben@acme.example' })
  await user.click(await screen.findByRole('button', { name: 'Share…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Share 2 sites' }))
  const people = within(await dialog.findByLabelText('Member')).getAllByRole('option')
  expect(people.map(({ textContent }) => textContent)).toEqual(['Choose a member', 'cleo@acme.example'])
})

test('where everyone can access every site, nobody is offered', async () => {
  const { user } = setup(2)
  await user.click(screen.getByRole('button', { name: 'Share…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Share 2 sites' }))
  expect(await dialog.findByText('Nobody needs a share')).toBeTruthy()
  expect(dialog.queryByRole('button', { name: /^Share \(/ })).toBeNull()
})
