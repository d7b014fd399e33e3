import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { PhpCard } from './php-card.tsx'

const api = apiServer()

test.each([
  [
    ['8.2', '8.3'],
    ['8.2', '8.3'],
  ],
  [null, [...SiteDoctype.fields.php_version.options]],
])('offers the versions that the server of the site has: %s', async (versions, offered) => {
  const capabilities = { php_version: { supported: true }, limits: { supported: true } }
  api.on(':method', () => ({ message: [] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities } }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 1, share: 0 } } }))
  api.on('easydash.api.site.php.get_versions', ({ body }) => ({
    message: body['server'] === 'srv' ? (versions ?? 'nothing of use') : [],
  }))
  const doc = { name: 's1', domain: 'shop.example', status: 'Live', server: 'srv', site_type: 'wp', php_version: '8.2' }
  const { user } = renderAs(owner, <PhpCard site={doc as unknown as Site} />)
  await user.click(await screen.findByRole('button', { name: /^Change version/ }))
  const field = within(await screen.findByRole('dialog')).getByLabelText(/PHP version/)
  await expect
    .poll(() =>
      within(field)
        .getAllByRole('option')
        .map((one) => one.textContent),
    )
    .toEqual(offered)
})
