/** Small list rules: visible columns, ranges, bulk actions, copied commands. */
/// <reference types="node" />
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { PlanDoctype } from '#shared/doctypes/plan.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { Viewer } from '../actions/viewer.ts'
import { bulkChoices } from '../bulk/bulk-choices.ts'
import { rowProgress } from '../bulk/bulk-progress.ts'
import type { BulkRow } from '../bulk/bulk-run.ts'
import {
  actionCurl,
  commandArgs,
  listCurl,
  membersCurl,
  methodCurl,
  methodListCurl,
  quoteForShell,
  type Command,
} from '../actions/copy-as.ts'
import { rowDoc } from '../bulk/bulk-choices.ts'
import { siteAttention } from '#shared/rules/site-attention.ts'
import { summarizeValues } from '../query/list-query.ts'
import { listConditions, listRequest } from '../query/list-request.ts'
import { filterFields, listDefaults, readListState } from '../query/list-state.ts'
import { readsField } from '../actions/readable.ts'
import { rowsBetween } from '../bulk/use-selection.ts'

const owner: Viewer = { user: 'owner@acme.example', role: 'Organization Admin', owner: true, platformAdmin: false }
const member: Viewer = { user: 'member@acme.example', role: 'Organization User', owner: false, platformAdmin: false }

it('a range goes from the last selected row to this one, in either direction, across the visible rows', () => {
  const shown = ['a', 'b', 'c', 'd'].map((name) => ({ name }))
  const names = (from: string | null, to: string) => rowsBetween(shown, from, to).map((row) => row.name)
  expect(names('b', 'd')).toEqual(['b', 'c', 'd'])
  expect(names('d', 'b')).toEqual(['b', 'c', 'd'])
  expect(names(null, 'c')).toEqual(['c'])
  expect(names('gone', 'c')).toEqual(['c'])
  expect(names('b', 'gone')).toEqual([])
})

describe('bulk actions', () => {
  const rows = [
    { name: 's1', domain: 'one', status: 'Live', owner: member.user },
    { name: 's2', domain: 'two', status: 'Archived', owner: 'other@acme.example' },
    { name: 's3', domain: 'three', status: 'Updating', owner: member.user, locked_by_job: 'j1' },
  ]

  it('are the declared ones, each with its rows and the reasons for skipping the others', () => {
    const choices = bulkChoices(SiteDoctype, rows, owner)
    const archive = choices.find(({ name }) => name === 'archive')
    // What a job changes now is archived after it.
    expect(archive?.rows.map((row) => row.name)).toEqual(['s1', 's3'])
    expect(archive?.skipped.map(({ row }) => row.name)).toEqual(['s2'])
    expect(choices.map(({ name }) => name)).not.toContain('share')
    expect(choices.at(-1)?.action.danger).toBe(true)
  })

  it('begin with what people do often, and end with what is dangerous', () => {
    const choices = bulkChoices(SiteDoctype, [{ name: 's1', status: 'Live', site_type: 'wp', engine: 'local' }], owner)
    expect(choices.slice(0, 3).map(({ name }) => name)).toEqual(['backup', 'flush_cache', 'verify_checksum'])
    expect(choices.findIndex(({ action }) => action.danger)).toBe(choices.length - 2)
  })

  it('are only those the user’s role allows', () => {
    expect(bulkChoices(ServerDoctype, [{ name: 'x', status: 'Healthy' }], member)).toEqual([])
    const none = bulkChoices(SiteDoctype, rows.slice(1, 2), { ...member, role: null })
    expect(none).toEqual([])
  })
})

it('a row shows the progress of its job: percent, failure reason, or done', () => {
  const row: BulkRow = { name: 's1', title: 'one', state: 'started', reason: null, job: 'j1' }
  const noError = {
    ...{ error_message: null, error_message_i18n: null, next_action: null, next_action_i18n: null },
    ...{ outcome: null, outcome_i18n: null },
  }
  const job = { name: 'j1', status: 'Running', percent: 40, ...noError } as const
  expect(rowProgress(row, undefined)).toMatchObject({ outcome: 'running', percent: null })
  expect(rowProgress(row, job)).toMatchObject({ outcome: 'running', percent: 40 })
  expect(
    rowProgress(row, { ...job, status: 'Failed', error_message: 'Disk full.', next_action: 'Free some.' }),
  ).toMatchObject({ outcome: 'failed', failedJob: true, reason: 'Disk full. Free some.' })
  expect(rowProgress(row, { ...job, status: 'Done' })).toMatchObject({ outcome: 'done', reason: null })
  const found = { ...job, status: 'Done', outcome: 'The proof failed: a file is missing' } as const
  expect(rowProgress(row, found)).toMatchObject({ outcome: 'done', reason: found.outcome })
  expect(rowProgress({ ...row, state: 'failed', job: null }, undefined)).toMatchObject({
    outcome: 'failed',
    failedJob: false,
  })
})

describe('roles and fields', () => {
  it('members filter by the server fields they can read; all specified fields are available', () => {
    const fields = (viewer: Viewer) => filterFields(ServerDoctype, (field) => readsField(ServerDoctype, viewer, field))
    const all = ['status', 'hostname', 'server_category', 'cloud_provider', 'cpu', 'ram', 'disk']
    expect(fields(member)).toEqual([...all, 'favorite'])
    expect(fields(owner).toSorted()).toEqual([...all, '_owner', 'favorite'].toSorted())
    const site = filterFields(SiteDoctype)
    for (const field of 'domain status server site_type wordpress_checksum createdby_email php_version wordpress_version'.split(
      ' ',
    ))
      expect(site).toContain(field)
    expect(readsField(ServerDoctype, member, 'public_ipv4')).toBe(false)
    expect(readsField(ServerDoctype, owner, 'engine_host')).toBe(false)
  })
})

it('alternatives that no field knows and those of free text are two groups', () => {
  const any = [['health', '=', 'Down']] as const
  const search = { filters: [['status', '!=', 'Archived']] as const, text: 'blog' }
  expect(listConditions(SiteDoctype, { ...search, any })).toEqual({
    filters: [['status', '!=', 'Archived']],
    or_filters: [[['health', '=', 'Down']], listConditions(SiteDoctype, search).or_filters],
  })
  expect(listConditions(SiteDoctype, search).or_filters).toHaveLength(3)
  expect(listConditions(SiteDoctype, { ...search, any: siteAttention })).toEqual({
    filters: [
      ['status', '!=', 'Archived'],
      ['attention', '!=', 0],
    ],
    or_filters: listConditions(SiteDoctype, search).or_filters,
  })
  expect(listConditions(SiteDoctype, { ...search, any: siteAttention, text: '' }).or_filters).toEqual(siteAttention)
})

it('names two values and counts the rest', () => {
  expect(summarizeValues(['Live'])).toBe('Live')
  expect(summarizeValues(['Live', 'Failed'])).toBe('Live, Failed')
  expect(summarizeValues(['Live', 'Failed', 'Archived', 'Updating'])).toBe('Live, Failed + 2 more')
})

describe('"Copy as"', () => {
  const state = readListState(
    new URLSearchParams({ q: 'it\'s $(rm) `x` "y" \\ ü' }),
    SiteDoctype,
    listDefaults(SiteDoctype),
  )
  /** Words of a command as a shell parses it, one per line. */
  const shellWords = ({ text }: Command) =>
    execFileSync('sh', ['-c', `CSRF=t0k; curl() { for word; do printf '%s\\n' "$word"; done; }\n${text}`], {
      encoding: 'utf8',
    })
      .trim()
      .split('\n')

  it('copies the list’s request, quoted for the shell', () => {
    const request = listRequest(SiteDoctype, ['domain'], state)
    const [get, url, flag, header, ...rest] = shellWords(listCurl(SiteDoctype, request, 'https://dash.example'))
    expect([get, url, flag, header]).toEqual([
      '-G',
      'https://dash.example/api/resource/Site',
      '-H',
      'Authorization: token KEY:SECRET',
    ])
    expect(rest.filter((word) => word !== '--data-urlencode')).toEqual([
      `fields=${JSON.stringify(request.fields)}`,
      `filters=${JSON.stringify(request.filters)}`,
      `or_filters=${JSON.stringify(request.or_filters)}`,
      'order_by=attention desc, creation desc',
      'limit_start=0',
      'limit_page_length=20',
    ])
  })

  it('copies the call of an action', () => {
    const copied = shellWords(actionCurl(SiteDoctype, 's1', 'archive', { confirm_name: "o'b" }, 'https://dash.example'))
    expect(copied.at(-1)).toBe('{"dt":"Site","dn":"s1","method":"archive","args":{"confirm_name":"o\'b"}}')
    expect(quoteForShell('plain-1.x')).toBe('plain-1.x')
  })

  it('fills in what the document has, and names the rest', () => {
    const doc = rowDoc(SiteDoctype, { name: 's1', domain: 'b.localhost', php_version: '8.3', new_owner: null })
    const {
      set_php_version: php,
      set_owner: give,
      delete_permanently: remove,
      login_link: admin,
    } = SiteDoctype.actions ?? {}
    expect([php, give, remove, admin].map((action) => action && commandArgs(action, doc))).toEqual([
      { php_version: '8.3' },
      { new_owner: 'EMAIL' },
      { confirm_name: 'b.localhost' },
      // As whom is left out: the caller.
      { network: 0 },
    ])
    expect(php && commandArgs(php, rowDoc(SiteDoctype, { name: 's1' }))).toEqual({ php_version: 'PHP_VERSION' })
  })

  it('copies a call that API tokens can make, for the members of an organization', () => {
    const copied = shellWords(membersCurl('o1', 'https://dash.example'))
    expect(copied).toContain('https://dash.example/api/method/run_doc_method')
    expect(copied.at(-1)).toBe('{"dt":"Organization","dn":"o1","method":"list_members","args":{}}')
    expect(OrganizationDoctype.actions?.['list_members']?.tokens).toBe('members:read')
  })

  it('copies a call with cookies and a CSRF token where API tokens are not supported, as in the first steps of /api/docs', () => {
    const args = { new_owner: 'bea@acme.example' }
    const transfer = actionCurl(OrganizationDoctype, 'o1', 'transfer_ownership', args, 'https://dash.example')
    expect(transfer.by).toBe('session')
    expect(shellWords(transfer).slice(2, 8)).toEqual([
      'https://dash.example/api/method/run_doc_method',
      '-b',
      'easydash.cookies',
      '-H',
      'X-Frappe-CSRF-Token: t0k',
      '-H',
    ])
    expect(actionCurl(OrganizationDoctype, 'o1', 'leave', {}, '').by).toBe('session')
    expect(actionCurl(SiteDoctype, 's1', 'login_link', {}, '').by).toBe('token')
    const plans = { fields: ['name'], filters: [], or_filters: [], order_by: 'name asc', start: 0, limit: 0 }
    expect(listCurl(PlanDoctype, plans, '').by).toBe('session')
  })

  it('copies the page of a platform list and a platform action', () => {
    const list = methodListCurl(
      'easydash.api.platform.users',
      { txt: "o'b", enabled: undefined, limit: 20 },
      'http://d',
    )
    expect(shellWords(list)).toEqual([
      '-G',
      'http://d/api/method/easydash.api.platform.users',
      '-b',
      'easydash.cookies',
      '--data-urlencode',
      "txt=o'b",
      '--data-urlencode',
      'limit=20',
    ])
    const act = shellWords(
      methodCurl('easydash.api.platform.set_plan', { organization: 'o1', plan: 'Agency' }, 'http://d'),
    )
    expect(act).toContain('X-Frappe-CSRF-Token: t0k')
    expect(act.at(-1)).toBe('{"organization":"o1","plan":"Agency"}')
  })
})
