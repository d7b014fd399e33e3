import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { member, renderAs } from '#tests/web/screen.tsx'
import { ApiTokensCard } from './api-tokens-card.tsx'

const api = apiServer()
const token = {
  name: 't1',
  title: 'Backup script',
  role: 'Organization User',
  scopes: ['sites:read', 'files:read'],
  expires: null,
  last_used: null,
  last_ip: null,
  api_key: 'abc',
  creation: '2026-01-01 00:00:00.000000',
}

test('a token’s scopes are visible without hovering', async () => {
  api.on('frappe.client.get_list', () => ({ message: [token] }))
  const { container } = renderAs(member, <ApiTokensCard user="ann@acme.example" />)
  const scopes = await screen.findByText('2 scopes')
  expect(scopes.tagName).toBe('SUMMARY')
  expect([...container.querySelectorAll('details li')].map((line) => line.textContent)).toEqual([
    expect.stringMatching(/^sites:read \w+/),
    expect.stringMatching(/^files:read Open files/),
  ])
  expect(container.querySelector('li [title*=":"]')).toBeNull()
})
