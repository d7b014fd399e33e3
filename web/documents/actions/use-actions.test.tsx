import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { ActionMenu } from './action-menu.tsx'

const api = apiServer()
const server = {
  doctype: 'Server',
  name: 'srv1',
  owner: 'owner@acme.example',
  creation: '2026-11-21 14:00:00.000000',
  modified: '2026-11-21 14:00:00.000000',
  modified_by: 'owner@acme.example',
  docstatus: 0 as const,
  idx: 0,
  status: 'Disconnected',
}

test('an action that the engine of a server cannot do is off, with the reason', async () => {
  const reason = 'Nothing connects to this server yet.'
  api.on('easydash.api.engine.capabilities', ({ body }) => ({
    message: { capabilities: body['server'] === 'srv1' ? { facts: { supported: false, reason } } : {} },
  }))
  const { user } = renderAs(owner, <ActionMenu type={ServerDoctype} doc={server} />)
  await user.click(screen.getByRole('button', { name: 'More actions' }))
  const item = await screen.findByRole('menuitem', { name: /^Refresh metrics/ })
  expect(await screen.findByText(reason)).toBeTruthy()
  expect(item.getAttribute('aria-disabled')).toBe('true')
  await user.click(item)
  expect(api.calls.filter(({ name }) => name === 'run_doc_method')).toEqual([])
})

test('the commands of several actions stand in a menu of their own', async () => {
  api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities: { facts: { supported: true } } } }))
  const { user } = renderAs(
    owner,
    <ActionMenu
      type={SiteDoctype}
      doc={{ ...server, doctype: 'Site', status: 'Live', site_type: 'html' }}
      commands={['set_owner']}
    />,
  )
  await user.click(screen.getByRole('button', { name: 'More actions' }))
  const items = await screen.findAllByRole('menuitem', { name: /as curl/ })
  expect(items.map(({ textContent }) => textContent)).toEqual(['Copy as curl'])
  await user.click(items[0] as HTMLElement)
  const commands = within(await screen.findByRole('menu', { name: 'Copy as curl' }))
  expect(commands.queryByRole('menuitem', { name: 'Archive' })).toBeNull()
  expect(commands.getByRole('menuitem', { name: 'Transfer ownership' })).toBeTruthy()
})
