import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import { apiServer, type Reply } from '#tests/web/api.ts'
import { sampleTime } from '#tests/web/sample.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { DeploymentCard } from './deployment-card.tsx'

const api = apiServer()
const doc = { name: 's1', domain: 'shop.example', status: 'Live', server: 'srv', site_type: 'wp', engine: 'local' }
const connected = {
  ...{ repository: 'acme/site', repo_branch: 'main', repo_path: 'wp-content' },
  ...{ deployed_commit: 'a'.repeat(40), deployed_at: sampleTime },
}
const deployment = {
  ...{ name: 'd1', creation: sampleTime, commit: 'a'.repeat(40), branch: 'main', author: 'Ann', message: 'A change' },
  ...{ status: 'Done', files_changed: 3, pushed: 1, repository: 'acme/site', path: 'wp-content', job: 'j1' },
}
const failed = {
  ...{ ...deployment, name: 'd2', commit: 'b'.repeat(40), status: 'Failed', message: 'Worse', files_changed: null },
  error_message: 'The page answered with status 500.',
}

/** Shows the card to somebody who may change the site. */
function show(site: object, answer: Reply = { message: [failed, deployment] }) {
  api.on(':method', () => ({ message: [] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities: { files: { supported: true } } } }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 1, share: 0 } } }))
  api.on('frappe.client.get_list', () => answer)
  api.on('run_doc_method', () => ({ message: { job: 'j2' } }))
  return renderAs(
    owner,
    <TooltipProvider>
      <DeploymentCard site={{ ...doc, ...site } as unknown as Site} />
    </TooltipProvider>,
  )
}

const calls = () => api.calls.filter(({ name }) => name === 'run_doc_method').map(({ body }) => body)

test('says what is deployed, what failed and why, and rolls back to what succeeded', async () => {
  const { user } = show(connected)
  const [first, second] = await screen.findAllByRole('listitem')
  expect(first?.textContent).toMatch(/bbbbbbb Worse.*The page answered with status 500\..*Failed/)
  expect(second?.textContent).toMatch(/aaaaaaa A change.*Ann.*3 files.*After a push.*Done/)
  expect(within(first as HTMLElement).queryByRole('button')).toBeNull()
  expect(screen.getByText('acme/site')).toBeTruthy()
  expect(screen.getByText(/^http.*\/webhooks\/github$/)).toBeTruthy()
  await user.click(await within(second as HTMLElement).findByRole('button', { name: 'Roll back…' }))
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Roll back' }))
  await waitFor(() => expect(calls()).toMatchObject([{ method: 'roll_back', args: { deployment: 'd1' } }]))
})

test('deploys the head of the branch without a question', async () => {
  const { user } = show(connected, { message: [] })
  expect(await screen.findByText('Nothing was deployed yet.')).toBeTruthy()
  await user.click(await screen.findByRole('button', { name: 'Deploy now' }))
  await waitFor(() => expect(calls()).toMatchObject([{ method: 'deploy' }]))
})

test('connects a repository to a site that has none', async () => {
  const { user } = show({}, { message: [] })
  const account = await screen.findByRole('link', { name: 'GitHub account' })
  expect(account.getAttribute('href')).toBe('/organization#github')
  await user.click(await screen.findByRole('button', { name: 'Connect repository…' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.type(dialog.getByLabelText(/^Repository/), 'acme/site')
  await user.click(dialog.getByRole('button', { name: 'Connect repository' }))
  await waitFor(() =>
    expect(calls()).toMatchObject([
      { method: 'connect_repository', args: { repository: 'acme/site', branch: 'main', path: 'wp-content' } },
    ]),
  )
  expect(screen.queryByRole('button', { name: 'Deploy now' })).toBeNull()
})

test('says that the deployments could not be read', async () => {
  show(connected, { status: 500, body: { exception: 'Broken' } })
  expect(await screen.findByText('The deployments could not be read')).toBeTruthy()
})
