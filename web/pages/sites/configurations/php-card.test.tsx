import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { PhpCard } from './php-card.tsx'

const api = apiServer()
const doc = { name: 's1', domain: 'shop.example', status: 'Live', server: 'srv', site_type: 'wp', php_version: '8.2' }

/** Shows the card to somebody who may change the site. */
function show(site: object, versions: unknown = ['8.2']) {
  const capabilities = { php_version: { supported: true }, php_limits: { supported: true } }
  api.on(':method', () => ({ message: [] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities } }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 1, share: 0 } } }))
  api.on('easydash.api.site.php.get_versions', ({ body }) => ({ message: body['server'] === 'srv' ? versions : [] }))
  return renderAs(owner, <PhpCard site={{ ...doc, ...site } as unknown as Site} />)
}

const optionsOf = (field: HTMLElement) =>
  within(field)
    .getAllByRole('option')
    .map((one) => one.textContent)

test.each([
  [
    ['8.2', '8.3'],
    ['8.2', '8.3'],
  ],
  ['nothing of use', [...SiteDoctype.fields.php_version.options]],
])('offers the versions that the server of the site has: %s', async (versions, offered) => {
  const { user } = show({}, versions)
  await user.click(await screen.findByRole('button', { name: /^Change version/ }))
  const field = within(await screen.findByRole('dialog')).getByLabelText(/PHP version/)
  await expect.poll(() => optionsOf(field)).toEqual(offered)
})

const here = ['2', '8', '16', '32', '64']
test.each([
  ['on this machine', { engine: 'local' }, ['256 MB', '64 MB'], here, { memory_mb: '128', upload_mb: 64 }],
  ['on a server', { engine: 'ee' }, ['256 MB', '100 MB'], [...here, '100'], { memory_mb: '128', upload_mb: 100 }],
  [
    'whose limits people set on a server',
    { engine: 'ee', memory_mb: 512, upload_mb: 300 },
    ['512 MB', '300 MB'],
    ['Keep 300 MB', ...here, '100'],
    { memory_mb: '128' },
  ],
])('another memory limit leaves the upload limit of a site as it is: %s', async (_name, site, shown, offered, sent) => {
  const { user } = show(site)
  for (const text of shown) expect(await screen.findByText(text)).toBeTruthy()
  await user.click(await screen.findByRole('button', { name: /^Change limits/ }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(optionsOf(dialog.getByLabelText(/Upload limit/))).toEqual(offered)
  await user.selectOptions(dialog.getByLabelText(/Memory limit/), '128')
  await user.click(dialog.getByRole('button', { name: 'Change limits' }))
  const call = () => api.calls.findLast(({ body }) => body['method'] === 'set_limits')
  await expect.poll(call).toBeTruthy()
  const args = call()?.body['args']
  expect(args).toEqual(sent)
})
