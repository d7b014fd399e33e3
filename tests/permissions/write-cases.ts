import { personOf, putResource, type Case } from './cases.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import type { Field } from '#shared/fields.ts'
import { doctypeDeclarations } from './declarations.ts'
import { secretFields } from './field-declarations.ts'
import { columnOf, expectedOf, inScope, rowOf } from './expectations.ts'
import type { Matrix } from './matrix.ts'
import { everybody, type PersonKey } from './people.ts'
import type { SubjectPlan } from './subject-plan.ts'
import { subjectPlans } from './subjects.ts'
import { call, type TestContext } from './test-context.ts'

/** Values that no client can set, sent along with an allowed write. */
const stolen = {
  name: 'stolen',
  owner: 'stranger@elsewhere.example',
  modified_by: 'stranger@elsewhere.example',
  creation: '2001-01-01 00:00:00',
  docstatus: 1,
  parent: 'globex',
} as const

/** Standard fields and the organization never change, regardless of the role and the values sent. */
export function tamperCases(matrix: Matrix): Case[] {
  return subjectPlans
    .filter((plan) => !plan.single)
    .flatMap((plan) =>
      everybody
        .filter((key) => expectedOf(matrix, key, plan, 'W') === 'allowed')
        .flatMap((key) =>
          [{}, { organization: 'globex' }].map((extra): Case => ({
            title: `${key} cannot move or disguise ${plan.doctype}/${plan.key}${'organization' in extra ? ' into globex' : ''}`,
            doctype: plan.doctype,
            kind: 'tamper',
            async run(context) {
              const name = await context.fresh(plan)
              const before = await context.stored(plan.doctype, name)
              await putResource(context, key, plan.doctype, name, { ...stolen, ...extra })
              const after = await context.stored(plan.doctype, name)
              const kept = ['name', 'owner', 'creation', 'docstatus', 'parent', 'organization']
              const changed = kept.filter((field) => String(before?.[field]) !== String(after?.[field]))
              return changed.length === 0 ? null : `changed ${changed.join(', ')}`
            },
          })),
        ),
    )
}

/** A field that only some can write; `may` says who. */
interface Guarded {
  readonly plan: string
  readonly field: string
  readonly value: unknown
  /** Whether the fixture lets the person write it. */
  may(matrix: Matrix, key: PersonKey): boolean
  /**
   * A person who could write it with an effect on the rest of the suite; that write is tried on an account no other case
   * needs.
   */
  readonly except?: PersonKey
}

const setsCredentials = (matrix: Matrix, key: PersonKey): boolean => {
  const column = columnOf(key, 'acme')
  return (
    column !== null &&
    rowOf(matrix, 'Org credentials and keys')[column].verbs.includes('set') &&
    inScope(matrix, key, 'Organization', 'W')
  )
}

const managesServers = (matrix: Matrix, key: PersonKey): boolean => {
  const column = columnOf(key, 'acme')
  const row = 'server decommission, category, authorized_keys, http-auth reveal, owner, resize, host key'
  return column !== null && rowOf(matrix, row)[column].act === 'all' && inScope(matrix, key, 'Server', 'W')
}

const anotherKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f'

const nobody = () => false

/** "role_profile_name, roles, enabled": a separate row of the table. */
const changesAccounts = (matrix: Matrix, key: PersonKey): boolean => {
  const column = columnOf(key, 'acme')
  return column !== null && rowOf(matrix, 'role_profile_name, roles, enabled')[column].letters['W'] === 'all'
}

const guarded: readonly Guarded[] = [
  ...['do_token', 'bucket_name', 'bucket_secret_key', 'bot_github_name'].map((field): Guarded => ({
    plan: 'Organization/acme',
    field,
    value: 'written',
    may: setsCredentials,
  })),
  ...['server_category', 'authorized_keys'].map((field): Guarded => ({
    plan: 'Server/prod',
    field,
    value: field === 'server_category' ? 'development' : anotherKey,
    may: managesServers,
  })),
  // Roles, plan, modules and state are never written through the document.
  { plan: 'User/somebody', field: 'enabled', value: 0, may: changesAccounts },
  { plan: 'User/somebody', field: 'role_profile_name', value: 'Easydash Admin', may: changesAccounts },
  { plan: 'User/somebody', field: 'roles', value: ['Easydash User'], may: changesAccounts },
  { plan: 'User/somebody', field: 'roles', value: ['System Manager'], may: nobody },
  { plan: 'User/member', field: 'role_profile_name', value: 'Easydash Admin', may: nobody, except: 'platform' },
  { plan: 'User/member', field: 'enabled', value: 0, may: nobody, except: 'platform' },
  { plan: 'User/member', field: 'email_verified', value: 0, may: nobody },
  { plan: 'Organization/acme', field: 'plan', value: 'Free', may: nobody },
  { plan: 'Organization/acme', field: '_owner', value: 'admin@acme.example', may: nobody },
  { plan: 'Organization/acme', field: 'enabled', value: 0, may: nobody },
  { plan: 'Organization/acme', field: 'module_wpc', value: 1, may: nobody },
  { plan: 'Organization/acme', field: 'local_engine', value: 1, may: nobody },
  { plan: 'Organization/acme', field: 'site_limit_override', value: '1000', may: nobody },
  { plan: 'Organization/acme', field: 'members', value: [], may: nobody },
  { plan: 'Server/prod', field: 'status', value: 'Healthy', may: nobody },
  { plan: 'Server/prod', field: 'engine', value: 'local', may: nobody },
  { plan: 'Server/prod', field: '_owner', value: 'member@acme.example', may: nobody },
  { plan: 'Server/prod', field: 'randomised_http_auth', value: 'written', may: managesServers },
  { plan: 'Site/own', field: 'status', value: 'Live', may: nobody },
  { plan: 'Site/own', field: 'createdby_email', value: 'member@acme.example', may: nobody },
  { plan: 'Site/own', field: 'locked_by_job', value: '', may: nobody },
  { plan: 'DocShare/own', field: 'write', value: 1, may: nobody },
  { plan: 'Job/own', field: 'status', value: 'Queued', may: nobody },
  { plan: 'Organization Member/ofMember', field: 'parent', value: 'globex', may: nobody },
]

const personalValues: Readonly<Record<string, unknown>> = {
  time_zone: 'Europe/Berlin',
  user_image: 'https://example.com/a.png',
  birth_date: '1990-01-01',
  phone: '+49 30 1234567',
  mobile_no: '+49 30 1234567',
  accept_newsletter: 1,
}

/** Values of credential fields that aren't plain text; for checkboxes, the opposite of the default. */
const credentialValues: Readonly<Record<string, unknown>> = {
  bucket_endpoint: 'https://bucket.example',
  default_authorized_keys: anotherKey,
  bot_github_email: 'bot@acme.example',
  slack_webhook_url: 'https://hooks.slack.com/services/written',
  slack_on_failure: 0,
  slack_on_sites: 0,
  slack_on_people: 1,
  slack_on_settings: 1,
}

/** Every person × guarded field: written if the fixture says so, otherwise unchanged. */
export function guardedCases(matrix: Matrix): Case[] {
  const credentials = matrix.groups.get('credentials')?.fields ?? []
  const writable = (doctypeDeclarations['Organization']?.writable ?? '').split(' ')
  const set = credentials
    .filter((field) => writable.includes(field))
    .map((field): Guarded => ({
      plan: 'Organization/acme',
      field,
      value: credentialValues[field] ?? 'written',
      may: setsCredentials,
    }))
  const person = (doctypeDeclarations['User']?.writable ?? '').split(' ')
  const account = matrix.groups.get('account state')?.fields ?? []
  // All other fields of an account can be written only by its owner.
  const personal = person
    .filter((field) => !account.includes(field))
    .map((field): Guarded => ({ plan: 'User/somebody', field, value: personalValues[field] ?? 'Written', may: nobody }))
  return [...set, ...personal, ...guarded].flatMap(({ plan: id, field, value, may, except }) => {
    const plan = subjectPlans.find((one) => `${one.doctype}/${one.key}` === id) as SubjectPlan
    return everybody
      .filter((key) => key !== except)
      .map((key): Case => {
        const allowed = may(matrix, key)
        return {
          title: `${key} ${allowed ? 'writes' : 'cannot write'} ${id}.${field}`,
          doctype: plan.doctype,
          kind: 'guarded',
          async run(context) {
            const name = await context.fresh(plan)
            const { before, answer, after } = await context.alone(name, async () => ({
              before: await context.stored(plan.doctype, name),
              answer: await putResource(context, key, plan.doctype, name, { [field]: value }),
              after: await context.stored(plan.doctype, name),
            }))
            const changed = JSON.stringify(before?.[field]) !== JSON.stringify(after?.[field])
            if (!allowed) return changed ? `written (${answer.status})` : null
            if (answer.status !== 200) return `${answer.status} ${answer.text.slice(0, 200)}`
            const isSealed = secretFields[plan.doctype]?.includes(field) === true
            const isKept = isSealed || JSON.stringify(after?.[field]) === JSON.stringify(value)
            return isKept ? null : `answered with 200, not written`
          },
        }
      })
  })
}

/** Values sent on creation that the server must override. */
const serverOwnedValues = {
  status: 'Healthy',
  engine_host: 'local:this',
  ed_status: 'smuggled',
  owner: 'stranger@elsewhere.example',
  docstatus: 1,
} as const

/** The server-owned fields of a new server are set by the server. */
export function newServerFieldCases(): Case[] {
  return (['owner', 'admin', 'tokenAll'] as const).map((key): Case => ({
    title: `${key} cannot smuggle fields into a new server`,
    doctype: 'Server',
    kind: 'guarded',
    async run(context) {
      serial += 1
      const values = { organization: 'acme', hostname: `smuggled-${serial}.acme.test`, ...serverOwnedValues }
      const response = await call(context, personOf(context, key), 'POST', '/api/resource/Server', values)
      for (const refused of [{ engine: 'local' }, { _owner: 'stranger@elsewhere.example' }]) {
        const { status } = await call(context, personOf(context, key), 'POST', '/api/resource/Server', {
          ...values,
          ...refused,
        })
        if (status !== 403) return `${status} for ${Object.keys(refused).join()}`
      }
      const { name } = (response.body['data'] ?? {}) as { name?: string }
      if (!name) return `${response.status} ${response.text.slice(0, 200)}`
      const row = await context.stored('Server', name)
      const kept = Object.entries(serverOwnedValues).filter(([field, value]) => row?.[field] === value)
      return kept.length === 0 ? null : `kept ${kept.map(([field]) => field).join(', ')}`
    },
  }))
}

let serial = 0

/** Fields of linked documents are subject to the linked document's own rules. */
export function linkedCases(matrix: Matrix): Case[] {
  const sites = subjectPlans.filter((plan) => plan.doctype === 'Site')
  return sites.flatMap((plan) =>
    everybody
      .filter((key) => expectedOf(matrix, key, plan, 'R') === 'allowed')
      .map((key): Case => {
        const id = String(plan.values['server']).slice(1)
        const server = subjectPlans.find((one) => `${one.doctype}/${one.key}` === id) as SubjectPlan
        const sees = expectedOf(matrix, key, server, 'R') === 'allowed'
        return {
          title: `${key} ${sees ? 'reads' : 'does not read'} the linked server of Site/${plan.key}`,
          doctype: 'Site',
          kind: 'linked',
          async run(context) {
            const response = await call(context, personOf(context, key), 'POST', '/api/method/frappe.client.get_list', {
              doctype: 'Site',
              filters: { name: context.subjects.get(`Site/${plan.key}`)?.name },
              fields: ['name', 'server.hostname as host'],
            })
            if (response.status !== 200) return sees ? `${response.status} ${response.text.slice(0, 200)}` : null
            const [row] = (response.body['message'] ?? []) as { host?: string | null }[]
            return (typeof row?.host === 'string') === sees ? null : JSON.stringify(row)
          },
        }
      }),
  )
}

/** A site of acme whose row references a server of globex: inconsistent data must not expose it. */
export function crossLinkCases(): Case[] {
  return (['owner', 'manager', 'member'] as const).map((key): Case => ({
    title: `${key} does not read the linked server of another organization`,
    doctype: 'Site',
    kind: 'linked',
    async run(context) {
      const plan = subjectPlans.find((one) => one.doctype === 'Site' && one.key === 'own') as SubjectPlan
      const name = await context.fresh(plan)
      const server = context.subjects.get('Server/foreign')?.name
      await context.product.database.pool.query('update tab_site set server = $1 where name = $2', [server, name])
      const response = await call(context, personOf(context, key), 'POST', '/api/method/frappe.client.get_list', {
        doctype: 'Site',
        filters: { name },
        fields: ['name', 'server.hostname as host'],
      })
      return response.text.includes('globex-marker') ? response.text : null
    },
  }))
}

/** A value of the field's type that likely differs from the stored one. */
export function otherValue(context: TestContext, field: Field, stored: unknown): unknown {
  if (field.fieldtype === 'Link') {
    const named = {
      User: 'User/member',
      Organization: 'Organization/acme',
      Job: 'Job/plain',
      Server: 'Server/dev',
      Site: 'Site/plain',
    }
    const name = context.subjects.get(named[field.options as keyof typeof named] ?? '')?.name
    return name === undefined || name === stored ? 'written' : name
  }
  if (field.fieldtype === 'Check') return stored === 1 ? 0 : 1
  if (field.fieldtype === 'Select') {
    const options = (field.options ?? []) as readonly string[]
    return options.find((option) => option !== stored) ?? null
  }
  if (field.fieldtype === 'Int' || field.fieldtype === 'Float') return Number(stored ?? 0) + 1
  if (field.fieldtype === 'Datetime') return '2031-01-01 00:00:00'
  if (field.fieldtype === 'Date') return '2031-01-01'
  if (field.fieldtype === 'JSON') return [{ written: 1 }]
  return 'written@acme.example'
}

/** Fields nobody can set through a document: the most powerful roles send a value, and the row stays unchanged. */
export function serverOwnedFieldCases(matrix: Matrix): Case[] {
  return doctypes.flatMap((type) => {
    const writable = doctypeDeclarations[type.name]?.writable?.split(' ')
    const frozen = Object.entries(type.fields).filter(
      ([name, { fieldtype }]) => fieldtype !== 'Table' && !writable?.includes(name),
    )
    const writers = (key: PersonKey) =>
      subjectPlans.find((plan) => plan.doctype === type.name && expectedOf(matrix, key, plan, 'W') === 'allowed')
    return (['platform', 'owner', 'member', 'tokenAll'] as const).flatMap((key) => {
      const plan = writers(key)
      if (!plan) return []
      return frozen.map(([name, field]): Case => ({
        title: `${key} cannot write ${plan.doctype}/${plan.key}.${name}, which nobody can`,
        doctype: type.name,
        kind: 'frozen',
        async run(context) {
          const document = await context.fresh(plan)
          return context.alone(document, async () => {
            const before = await context.stored(type.name, document)
            await putResource(context, key, type.name, document, { [name]: otherValue(context, field, before?.[name]) })
            const after = await context.stored(type.name, document)
            return JSON.stringify(before?.[name]) === JSON.stringify(after?.[name]) ? null : 'the field changed'
          })
        },
      }))
    })
  })
}
