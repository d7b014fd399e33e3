import { expect, test } from 'vitest'
import type { Doctype } from '#shared/doctype.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { ColumnOptions } from './list-columns.ts'
import { sortableColumns } from './list-rows-request.ts'

/** Lists of these fields must stay fast in every order they offer. */
test.each<[Doctype, string[], string[]]>([
  [SiteDoctype, ['domain', 'status', 'health', 'disk_used', 'createdby_email', 'creation'], ['favorite', 'url']],
  [ServerDoctype, ['hostname', 'ram', 'disk', 'public_ipv4', '_owner', 'creation'], ['favorite', 'pending_updates']],
  [JobDoctype, ['label', 'status', 'ended', 'creation'], ['owner', 'percent']],
  [ActivityDoctype, ['creation', 'actor', 'reference_title', 'via'], ['took_ms', 'modified', 'before']],
])('lists are sorted by fields that have an index: $name', (type, sortable, others) => {
  const offered: ColumnOptions[] = [...sortable, ...others].map((field) => ({ field }))
  const columns = sortableColumns(type, offered)
  expect(columns.filter(({ unsortable }) => unsortable).map(({ field }) => field)).toEqual(others)
})
