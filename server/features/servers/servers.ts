import { assertNotLinked } from '#server/documents/documents.ts'
import { controller, type Controller, type HookContext } from '#server/contracts/controller.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { thisMachine, type CredentialsHandle, type Engine } from '#server/engines/engine.ts'
import { repeat, systemClock, type Clock, type Repeated } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Log } from '#server/platform/log/log.ts'
import { sameValue } from '#shared/same-value.ts'
import { fieldLabel, fieldNames } from '#shared/doctype.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import type { Field } from '#shared/fields.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { checkFormat } from '#shared/rules/formats.ts'
import { plural, msg, labelMessage } from '#shared/localized-message.ts'
import { hasChanged, serverFields } from './host-facts.ts'
import { providerMetadataMethod } from './provider-metadata.ts'
import { refuseInnerAddresses, type AddressConfig } from './server-addresses.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'

/** Dependencies of the servers feature. */
export interface ServersDeps {
  documents: () => Documents
  /** Engines of this process by name. */
  engines: Readonly<Record<string, Engine>>
  log: Log
  clock?: Clock
  /** Internal addresses allowed by the operator. */
  config?: AddressConfig
  /** Id of this machine if several share one database; must match the sites feature. */
  machine?: string
}

/** What the servers feature provides to the composition root. */
export interface Servers extends Feature {
  readonly controllers: readonly Controller[]
  /** Measures this machine at once and then every minute. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Reads the secret a handle names; for engines that connect to servers. Throws if the field is not declared secret. */
  readCredentials(handle: CredentialsHandle): Promise<string | null>
}

const measureMs = 60_000

/** Servers: the machine this program runs on has one row in each organization that may use it. */
export function createServers(deps: ServersDeps): Servers {
  const clock = deps.clock ?? systemClock
  const engine = deps.engines['local'] ?? deps.engines['fake'] ?? null
  const host = engine ? `${engine.name}:${deps.machine ?? 'this'}` : null
  let measuring: Repeated | null = null

  const measure = async (): Promise<Partial<Server>> =>
    serverFields(await (engine as Engine).hostFacts(thisMachine), clock.now())

  /** Adds "This machine" to an organization if it is missing. */
  async function addMachine(tx: Tx, organization: Organization): Promise<void> {
    if (!engine || !host) return
    const existing = await tx.find(ServerDoctype, [
      ['organization', '=', organization.name],
      ['engine_host', '=', host],
    ])
    if (existing) return
    await tx.insert(ServerDoctype, {
      ...(await measure()),
      organization: organization.name,
      engine: engine.name,
      engine_host: host,
      server_category: 'development',
      cloud_provider: 'Custom',
      status: 'Healthy',
      _owner: organization._owner,
    })
  }

  /** Removes an organization's "This machine". Throws `invalid` while it has sites, including archived ones. */
  async function removeMachine(tx: Tx, organization: Organization): Promise<void> {
    const rows = await tx.list(ServerDoctype, [
      ['organization', '=', organization.name],
      ['engine', '=', engine?.name ?? 'local'],
    ])
    if (rows.length === 0) return
    // A site being created has its server's row locked: this waits for it, then counts it.
    for (const row of rows) await tx.get(ServerDoctype, row.name, { lock: true })
    const sites = await tx.count(SiteDoctype, [['server', 'in', rows.map((row) => row.name)]])
    if (sites > 0) {
      const { title } = organization
      throw new AppError(
        'invalid',
        plural(
          sites,
          msg`${title} has ${sites} site on this machine.`,
          msg`${title} has ${sites} sites on this machine.`,
        ),
        {
          field: 'granted',
          excType: 'LinkExistsError',
          nextAction: msg`They have to be deleted for good first, those in the archive too.`,
        },
      )
    }
    for (const row of rows) await tx.delete(ServerDoctype, row.name)
  }

  /** Measures the machine and updates its row in every organization. */
  async function refresh(): Promise<void> {
    let fields: Partial<Server>
    try {
      fields = { ...(await measure()), status: 'Healthy' }
    } catch (error) {
      deps.log.warn('This machine could not be measured', { error })
      fields = { status: 'Degraded' }
    }
    await deps.documents().transaction(systemSession('schedule'), async (tx) => {
      const rows = await tx.list(ServerDoctype, [
        ['engine_host', '=', host],
        ['status', 'in', ['Healthy', 'Degraded', 'Disconnected']],
      ])
      for (const row of rows) await write(tx, row, fields)
    })
  }

  /** Fields that always change are written without touching `modified`, because nobody edited the document. */
  async function write(tx: Tx, row: Server, fields: Partial<Server>): Promise<void> {
    if (hasChanged(row, fields)) {
      await tx.update(ServerDoctype, row.name, fields, { hooks: false, activity: false })
      return
    }
    const { disk_free = null, uptime = null, checked_at = null } = fields
    await tx.updateColumns(ServerDoctype, row.name, { disk_free, uptime, checked_at })
  }

  async function refreshFacts(
    doc: Server,
    _args: object,
    { tx }: HookContext,
  ): Promise<Record<string, unknown> | null> {
    if (!host || doc.engine_host !== host) {
      throw new AppError('unsupported', msg`This server cannot be measured from here.`)
    }
    const updated = await tx.update(
      ServerDoctype,
      doc.name,
      { ...(await measure()), status: 'Healthy' },
      { hooks: false, activity: false },
    )
    return { checked_at: updated.checked_at }
  }

  return {
    controllers: [
      controller(OrganizationDoctype, {
        async after_insert(doc, { tx }) {
          if (doc.local_engine === 1) await addMachine(tx, doc)
        },
        async on_update(doc, before, { tx }) {
          if (doc.local_engine === 1 && before.local_engine !== 1) await addMachine(tx, doc)
          if (doc.local_engine !== 1 && before.local_engine === 1) await removeMachine(tx, doc)
        },
      }),
      controller(SiteDoctype, {
        // The server may be deleted between its check and the insert of the site.
        async guard(doc, before, { tx }) {
          if (before !== null || (await tx.get(ServerDoctype, doc.server, { lock: true }))) return
          throw new AppError('invalid', msg`Could not find Server: ${doc.server}`, {
            field: 'server',
            excType: 'LinkValidationError',
          })
        },
      }),
      controller(ServerDoctype, {
        async before_insert(doc) {
          // Nothing connects to it yet, and it must not stay "Provisioning" forever.
          if (doc.engine_host === null) doc.status = 'Disconnected'
        },
        async validate(doc, before) {
          refuseUntrue(doc, before)
          refuseInnerAddresses(doc, before, deps.config)
        },
        // Only for client requests: the row is still deleted with its organization or with the grant.
        async delete_request(doc, { tx }) {
          if (host && doc.engine_host === host)
            throw new AppError('invalid', msg`This machine belongs to the installation and cannot be removed.`)
          await assertNotLinked(tx.trx, doctypes, ServerDoctype, doc.name)
          await tx.delete(ServerDoctype, doc.name)
          return {}
        },
        actions: { refresh_facts: refreshFacts },
      }),
    ],
    methods: [providerMetadataMethod],

    readCredentials: ({ doctype, name, field }) =>
      deps.documents().transaction(systemSession('job'), (tx) => tx.secret(doctype, name, field)),

    async start() {
      if (!engine) return
      await refresh()
      measuring ??= repeat(clock, measureMs, () =>
        refresh().catch((error: unknown) => deps.log.warn('Facts of this machine could not be written', { error })),
      )
    },
    async stop() {
      await measuring?.stop()
      measuring = null
    },
  }
}

/** Fields of a measured machine that people can still edit. */
const decided: readonly (keyof Server)[] = ['server_category', 'authorized_keys']

/** Rejects edits that contradict the measured facts. Our own measurements are written without hooks. */
function refuseUntrue(doc: Server, before: Server | null): void {
  if (doc.engine_host === null) {
    const name = doc.hostname
    const problem = typeof name === 'string' && name !== before?.hostname ? checkFormat('hostname', name) : null
    if (problem) throw new AppError('invalid', problem, { field: 'hostname' })
    return
  }
  if (!before) return
  const changed = fieldNames(ServerDoctype).find((name) => {
    const field: Field = ServerDoctype.fields[name]
    return !field.server_owned && !decided.includes(name) && !sameValue(doc[name], before[name])
  })
  if (changed)
    throw new AppError(
      'invalid',
      msg`${labelMessage(fieldLabel(changed, ServerDoctype.fields[changed]))} is what this machine is found to be; nobody sets it.`,
      {
        field: changed,
        excType: 'CannotChangeConstantError',
      },
    )
}
