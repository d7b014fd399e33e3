/** GET changes nothing (docs/security.md): checked by calling everything, not by a list. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashToken, newToken } from '#server/platform/secrets/tokens.ts'
import { changesNothing } from '#shared/action-state.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { personOf } from '#tests/permissions/cases.ts'
import { subjectPlans } from '#tests/permissions/subjects.ts'
import type { PersonKey } from '#tests/permissions/people.ts'
import { openSuiteContext, type SuiteContext } from '#tests/permissions/suite-context.ts'
import { call } from '#tests/permissions/test-context.ts'
import { untilEnded } from '#tests/support/jobs.ts'
import { changedTables, storedRows } from '#tests/support/stored-rows.ts'

let suite: SuiteContext
beforeAll(async () => {
  suite = await openSuiteContext({ withJobs: true, concurrency: 1 })
})
afterAll(() => suite?.close())

const actions = doctypes.flatMap((type) =>
  Object.entries(type.actions ?? {}).map(([name, action]) => ({ type, name, action, id: `${type.name}.${name}` })),
)
const path = (doctype: string, name: string) =>
  `/api/resource/${encodeURIComponent(doctype)}/${encodeURIComponent(name)}`
const subjectOf = (doctype: string) => {
  const plan = subjectPlans.find((one) => one.doctype === doctype && one.attributes.organization === 'acme')
  return suite.context.subjects.get(`${doctype}/${plan?.key}`)?.name ?? 'nothing000'
}

describe('actions', () => {
  test('GET runs those that change nothing, and no other', async () => {
    const owner = personOf(suite.context, 'owner')
    for (const { type, name, action, id } of actions) {
      // That comes before the document, so none is needed.
      const address = path(type.name, 'nothing000')
      const { status, text } = await call(suite.context, owner, 'GET', address, { run_method: name })
      const isRefused = status === 403 && text.includes('Document methods that write are called with POST.')
      expect([id, isRefused]).toEqual([id, !changesNothing(action)])
    }
  })

  test('what they find is kept by these, so they are called by POST', () => {
    expect(actions.filter(({ action }) => action.reads && !changesNothing(action)).map(({ id }) => id)).toEqual([
      'Site.check_wordpress_health',
      'Site.site_health',
      'Site.inspect_wordpress',
      'Site.read_certificate',
      'Site.check_now',
      'Subscription Organization.preview_plan',
      'Subscription Organization.refresh',
      'Subscription Organization.create_setup_intent',
    ])
  })

  test('those need a token that may write, whatever they answer', async () => {
    const site = path('Site', subjectOf('Site'))
    const run = async (who: 'tokenReading' | 'tokenSites', run_method: string) =>
      (await call(suite.context, personOf(suite.context, who), 'POST', site, { run_method })).status
    expect(await run('tokenReading', 'uptime')).toBe(200)
    for (const { name } of actions.filter(({ type, action }) => type.name === 'Site' && action.keeps)) {
      expect([name, await run('tokenReading', name)]).toEqual([name, 403])
      // The subject is not live.
      expect([name, await run('tokenSites', name)]).toEqual([name, 417])
    }
  })
})

type Values = Record<string, unknown>

/** Documents of the owner as they are after some work, which calls of the owner find. */
async function prepare({ context, product }: SuiteContext) {
  const { documents, jobs } = product.services
  const token = newToken()
  await documents.transaction(product.system, async (tx) => {
    // What the suite stores in place of secrets opens nothing.
    const provider = { login_issuer: 'https://id.example', client_id: 'c', client_secret: 's', login_key: 'reading' }
    await tx.update(OrganizationDoctype, 'acme', { ...provider, backup_identity: null }, { hooks: false })
    await tx.update('Member Invite', subjectOf('Member Invite'), { token_hash: hashToken(token) }, { hooks: false })
  })
  const post = async (address: string, values: Values) => {
    const { status, text, body } = await call(context, personOf(context, 'owner'), 'POST', address, values)
    if (status !== 200) throw new Error(text)
    const answer = (body['data'] ?? body['message']) as Record<string, string>
    if (answer['job'] !== undefined) {
      const { status: end, error_message: reason } = await untilEnded(documents, answer['job'])
      if (end !== 'Done') throw new Error(`${address}: ${String(reason)}`)
    }
    return answer
  }
  const server = context.subjects.get('Server/dev')?.name ?? ''
  const users = { title: 'Reading', admin_user: 'admin', admin_email: 'owner@acme.example' }
  const { name: site = '' } = await post('/api/resource/Site', { server, domain: 'reading', site_type: 'wp', ...users })
  const { job = '' } = await post(path('Site', site), { run_method: 'backup', store: 'local' })
  await post(path('Site', site), { run_method: 'export_site' })
  const made = await documents.transaction(product.system, (tx) => tx.find(SiteBackupDoctype, [['site', '=', site]]))
  const backup = made?.name ?? ''
  const { url: link = '' } = await post(path('Site Backup', backup), { run_method: 'download_link' })
  // Nothing changes by itself from now on.
  await jobs.stop()
  const file = String((await context.stored('File', subjectOf('File')))?.['file_url'])
  return { site, server, backup, job, file, token, key: new URL(link, product.url).searchParams.get('key') }
}

/** Arguments of methods with which they find something. */
function methodArguments(found: Awaited<ReturnType<typeof prepare>>): Readonly<Record<string, Values>> {
  const { site, server, backup, job, file, token, key } = found
  const [list, doc] = [
    { doctype: 'Site', fields: ['name'] },
    { doctype: 'Site', docname: site },
  ]
  const explained = { doctype: 'Site', name: site, operation: 'read' }
  return {
    'frappe.client.get_list': list,
    'frappe.client.get_count': list,
    'frappe.client.get': { doctype: 'Site', name: site },
    'frappe.client.get_value': { doctype: 'Site', fieldname: 'domain', filters: site },
    'frappe.client.get_single_value': { doctype: 'Platform Settings', field: 'name' },
    'frappe.client.has_permission': doc,
    'frappe.client.get_doc_permissions': doc,
    'frappe.client.validate_link': doc,
    'frappe.desk.reportview.get': list,
    'frappe.desk.reportview.get_list': list,
    'frappe.desk.reportview.get_count': list,
    'frappe.desk.search.search_link': { doctype: 'Site', txt: '' },
    'frappe.handler.download_file': { file_url: file },
    explain_permission: explained,
    'easydash.api.permissions.explain': explained,
    'easydash.api.documents.get_counts': { queries: [list] },
    'easydash.api.documents.get_lists': { queries: [list] },
    'easydash.api.login_provider.show': { key: 'reading' },
    'easydash.api.organization.is_slug_available': { slug: 'free' },
    'easydash.api.account.check_invitation': { token },
    'easydash.api.billing.invoice_pdf': { name: subjectOf('Invoice') },
    'easydash.api.engine.capabilities': { server },
    'easydash.api.site.look_up_domain': { server, domain: 'shop.example' },
    'easydash.api.site.thumbnail': { site },
    'easydash.api.site.checksum': { site },
    'easydash.api.site.uptime': { site },
    'easydash.api.site.recent_uptime': { sites: [site] },
    'easydash.api.site.download_files': { site, paths: ['index.php'] },
    'easydash.api.site.download_export': { site },
    'easydash.api.backups.download': { backup, key },
    'easydash.api.backups.preview_retention': { site },
    'easydash.api.backups.due': { site },
    'easydash.api.backups.proof_document': { backup },
    'easydash.api.backups.thumbnail': { backup },
    'easydash.api.backups.stores': { organization: 'acme' },
    'easydash.easydash.doctype.server.server.get_machine_types': {
      cloud_provider: 'AWS',
      region: 'nowhere',
      connection: 'nothing000',
    },
    'easydash.easydash.doctype.server.server.get_metrics': { server },
    'easydash.easydash.doctype.server_logs.server_logs.get_job_logs': { job },
  }
}

const actionArguments: Readonly<Record<string, Values>> = {
  read_log: { log: 'php' },
  read_mail: { mail: 'none' },
  database_rows: { table: 'wp_posts' },
  database_cell: { table: 'wp_posts', column: 'post_title', row: '1' },
  compare_wordpress_file: { path: 'wp-includes/version.php' },
  read_file: { path: 'index.php' },
  preview_domain_change: { domain: 'elsewhere' },
}

/** Of calls that would need a vendor, or what the site does not have. */
const refusals: Readonly<Record<string, number>> = {
  'easydash.api.billing.invoice_pdf': 417,
  'easydash.easydash.doctype.server.server.get_machine_types': 417,
  'Site.read_mail': 409,
  'Site.push_losses': 409,
  'Site.files_folder': 417,
  // Its subject is being deleted.
  'WPC Site.list_backups': 417,
  'WPC Site.list_ssh_users': 417,
  'WPC Site.read_log': 417,
  'WPC Site.get_metrics': 417,
}

/** Calls of GET that are recorded (docs/security.md). */
const recorded = ['easydash.api.site.download_files', 'easydash.api.site.download_export']

describe('of the methods and actions that take GET', () => {
  /** Statuses of the calls by name, and the tables that those of a kind have changed. */
  const statuses = new Map<string, number>()
  const changed = { byReading: [] as string[], byDownloads: [] as string[] }

  beforeAll(async () => {
    const { context, product } = suite
    const found = await prepare(suite)
    const args = methodArguments(found)
    const ask = async (name: string, person: PersonKey, address: string, values: Values = {}) => {
      const { status } = await call(context, personOf(context, person), 'GET', address, values)
      statuses.set(name, status)
    }
    const callMethods = async (isRecorded: boolean) => {
      for (const { name, verbs, access } of product.methods) {
        if (!verbs.includes('GET') || recorded.includes(name) !== isRecorded) continue
        const isPlatforms = access === 'platform' || args[name]?.['doctype'] === 'Platform Settings'
        await ask(name, isPlatforms ? 'platform' : 'owner', `/api/method/${name}`, args[name])
      }
    }
    const rows = () => storedRows(product.database.db)
    const before = await rows()
    await callMethods(false)
    const live: Readonly<Record<string, string>> = {
      Site: found.site,
      Server: found.server,
      'Site Backup': found.backup,
    }
    for (const { type, name, id } of actions.filter(({ action }) => changesNothing(action))) {
      const document = live[type.name] ?? subjectOf(type.name)
      await ask(id, 'owner', path(type.name, document), { run_method: name, ...actionArguments[name] })
    }
    const read = await rows()
    await callMethods(true)
    changed.byReading = changedTables(before, read)
    changed.byDownloads = changedTables(read, await rows())
  })

  test('each finds something, or says what is missing', () => {
    const ended = Object.fromEntries([...statuses].filter(([, status]) => status !== 200))
    expect([statuses.size > 100, ended]).toEqual([true, refusals])
  })

  test('none changes a row, but downloads of what is in a site are recorded', () => {
    expect(changed).toEqual({ byReading: [], byDownloads: ['easydash_activity_head', 'tab_activity'] })
  })
})
