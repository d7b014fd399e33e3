import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { FilterTriple } from '#shared/doctype.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { ListFilters } from './list-filters.tsx'

const hidden: FilterTriple = ['status', '!=', 'Archived']
const live: FilterTriple = ['status', '=', 'Live']
const php: FilterTriple = ['php_version', '=', '8.3']

function setup(filters: readonly FilterTriple[]) {
  const changes: (readonly FilterTriple[])[] = []
  const { user } = renderAs(
    owner,
    <ListFilters
      type={SiteDoctype}
      state={{ filters, text: '', order: { field: 'creation', direction: 'desc' }, page: 1, pageSize: 20 }}
      defaults={[hidden]}
      onChange={() => undefined}
      onFilters={(next) => changes.push(next)}
      adding={false}
      onAdding={() => undefined}
    />,
  )
  return { user, changes }
}

test('a default filter is part of the view and has no chip', () => {
  setup([hidden, php])
  expect(
    screen.getAllByRole('button', { name: /^Remove filter/ }).map((one) => one.getAttribute('aria-label')),
  ).toEqual(['Remove filter PHP equals 8.3'])
})

test('removing a filter of the field of a default one brings that back', async () => {
  const { user, changes } = setup([live, php])
  await user.click(screen.getByRole('button', { name: /^Remove filter Status/ }))
  expect(changes).toEqual([[hidden, php]])
})
