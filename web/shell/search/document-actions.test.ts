import { expect, test } from 'vitest'
import type { Viewer } from '#web/documents/actions/viewer.ts'
import { documentActions } from './document-actions.tsx'
import type { SiteRow } from './use-rows.ts'

const site = (owner: string, title: string | null = null): SiteRow => ({
  name: 's1',
  title,
  domain: 'blog',
  status: 'Live',
  url: 'http://blog.localhost',
  site_type: 'wp',
  php_version: '8.4',
  server: 'v1',
  server_title: null,
  owner,
  locked_by_job: null,
  usr_alias_domains: null,
})
const viewer = (role: Viewer['role']): Viewer => ({ user: 'ann@x.example', role, owner: false, platformAdmin: false })
const handlers = { openAdmin: () => undefined, start: () => undefined }
const titles = (owner: string, role: Viewer['role'], wanted: readonly string[] | null) =>
  documentActions({ sites: [site(owner)], servers: [] }, wanted, viewer(role), handlers).map(({ title }) => title)

test('actions that need a share are not offered', () => {
  expect(titles('bob@x.example', 'Organization User', null)).toEqual(['Visit blog'])
  expect(titles('ann@x.example', 'Organization User', null)).toEqual(['Open admin of blog', 'Visit blog'])
  expect(titles('bob@x.example', 'Organization Manager', null)).toEqual(['Open admin of blog', 'Visit blog'])
})

test('actions that need a share are offered if typed by name, because the server knows the share', () => {
  expect(titles('bob@x.example', 'Organization User', ['login_link'])).toEqual(['Open admin of blog'])
})

test('actions that need a share are not offered to who used them before', () => {
  const found = { sites: [site('bob@x.example')], servers: [] }
  expect(documentActions(found, ['login_link'], viewer('Organization User'), handlers, false)).toEqual([])
})

test('a site is called what people call it', () => {
  const found = { sites: [site('ann@x.example', 'Fernhill Journal')], servers: [] }
  const [first] = documentActions(found, null, viewer('Organization User'), handlers)
  expect(first?.title).toBe('Open admin of Fernhill Journal')
})
