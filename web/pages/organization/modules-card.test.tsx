import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Organization } from '#shared/doctypes/organization.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { ModulesCard } from './modules-card.tsx'

const organization = { name: 'acme', module_ee: 1, module_wpc: 0 } as Organization

test('the owner turns servers and WP Cloud on and off; others see what is on', () => {
  const { unmount } = renderAs(owner, <ModulesCard organization={organization} />)
  expect(screen.getAllByRole('switch')).toHaveLength(2)
  expect(screen.getAllByRole('switch', { checked: true })).toHaveLength(1)
  unmount()
  const admin = { name: 'acme', title: 'Acme', role: 'Organization Admin' as const, owner: false }
  renderAs({ ...owner, organization: admin }, <ModulesCard organization={organization} />)
  expect(screen.queryByRole('switch')).toBeNull()
})
