import { expect, test } from 'vitest'
import { ServerType } from '#shared/doctypes/server.ts'
import { SiteType } from '#shared/doctypes/site.ts'
import { pageLists } from '#shared/list-reads.ts'
import { requestFields } from '#web/documents/list-columns.ts'
import { listRequest } from '#web/documents/list-query.ts'
import { listDefaults, readListState } from '#web/documents/list-state.ts'
import { methodAddress, listMethod, listParams } from '#shared/wire-address.ts'
import { serverColumns } from './servers/server-columns.tsx'
import { siteColumns } from './sites/site-columns.tsx'

test.each([
  ['/site', SiteType, siteColumns(true)],
  ['/server', ServerType, serverColumns(true, null)],
] as const)('the page %s asks early for the rows that its list then reads', (path, type, columns) => {
  const state = readListState(new URLSearchParams(), type, listDefaults(type))
  const request = { ...listRequest(type, [], state), fields: requestFields(type, columns) }
  const address = methodAddress(listMethod, listParams(type.name, request))
  expect(methodAddress(listMethod, listParams(...pageLists[path]))).toBe(address)
})
