import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Organization } from '#shared/doctypes/organization.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { ModulesCard } from './modules-card.tsx'

const organization = (module_wpc: 0 | 1) => ({ name: 'acme', module_ee: 1, module_wpc }) as Organization

test('owners are offered no module whose sites cannot be created yet', () => {
  renderAs(owner, <ModulesCard organization={organization(0)} />)
  expect(screen.getAllByRole('switch')).toHaveLength(1)
  expect(screen.queryByText(/WP Cloud|Automattic/)).toBeNull()
})

test('an organization that has it on can turn it off', () => {
  renderAs(owner, <ModulesCard organization={organization(1)} />)
  expect(screen.getAllByRole('switch', { checked: true })).toHaveLength(2)
})
