import { controller, type Controller } from '#server/contracts/controller.ts'
import { isExternalCaller } from '#server/contracts/session.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { assertNotLocked, assertNotShared } from '#server/jobs/enqueue.ts'
import { assertNotLinked } from '#server/documents/documents.ts'
import { fieldLabel, fieldNames } from '#shared/doctype.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import type { Field } from '#shared/fields.ts'
import { labelMessage, msg } from '#shared/localized-message.ts'
import { checkFormat } from '#shared/rules/formats.ts'
import { sameValue } from '#shared/same-value.ts'
import { failureValues } from './server-fields.ts'
import { assertPublicAddresses } from './server-addresses.ts'
import type { ServersContext } from './servers-context.ts'
import { refreshNow } from './measure.ts'
import { addMachine, removeMachine } from './this-machine.ts'

/** Organizations that may use this machine have a row for it; the grant can be given and taken back. */
export function organizationController(context: ServersContext): Controller {
  return controller(OrganizationDoctype, {
    async after_insert(doc, { tx }) {
      if (doc.local_engine === 1) await addMachine(context, tx, doc)
    },
    async on_update(doc, before, { tx }) {
      if (doc.local_engine === 1 && before.local_engine !== 1) await addMachine(context, tx, doc)
      if (doc.local_engine !== 1 && before.local_engine === 1) await removeMachine(context, tx, doc)
    },
  })
}

const notConnected = msg`Easydash cannot connect to other machines yet. Create sites on “This machine”; keep this server, or delete it.`

/** Sites need a server that exists. */
export const siteController: Controller = controller(SiteDoctype, {
  // The server may be deleted between its check and the insert of the site.
  async guard(doc, before, { tx }) {
    if (before !== null || (await tx.get(ServerDoctype, doc.server, { lock: true }))) return
    throw new AppError('invalid', msg`Could not find Server: ${doc.server}`, {
      field: 'server',
      excType: 'LinkValidationError',
    })
  },
})

/** Behavior of servers. */
export function serverController(context: ServersContext): Controller {
  return controller(ServerDoctype, {
    async before_insert(doc, { session }) {
      if (isExternalCaller(session)) assertOwnMachine(doc)
      // Nothing connects to it yet, and it must not stay "Provisioning" forever.
      if (doc.engine_host === null)
        Object.assign(doc, failureValues('Disconnected', notConnected, formatTimestamp(context.clock.now())))
    },
    async validate(doc, before) {
      assertEditable(doc, before)
      assertPublicAddresses(doc, before, context.deps.config)
    },
    // Only for client requests: the row is still deleted with its organization or with the grant.
    async delete_request(doc, { tx }) {
      if (context.machine && doc.engine_host === context.machine.name)
        throw new AppError('invalid', msg`This machine belongs to the installation and cannot be removed.`)
      await assertNotLocked(tx, doc)
      await assertNotShared(tx, doc.name)
      await assertNotLinked(tx.trx, doctypes, ServerDoctype, doc.name)
      await tx.delete(ServerDoctype, doc.name)
      return {}
    },
    actions: { refresh_facts: (doc) => refreshNow(context, doc) },
  })
}

/** Rejects servers of providers: nothing would order them, and they would stay a row that no work touches. */
function assertOwnMachine({ cloud_provider }: Server): void {
  if (cloud_provider === null || cloud_provider === 'Custom') return
  throw new AppError('unsupported', msg`Easydash cannot create servers at ${cloud_provider} yet.`, {
    field: 'cloud_provider',
    nextAction: msg`Create it there and add it here with the provider Custom.`,
  })
}

/** Fields of a measured machine that people can still edit. */
const decided: readonly (keyof Server)[] = ['server_category', 'authorized_keys']

/** Rejects edits that contradict the measured values. Our own measurements are written without hooks. */
function assertEditable(doc: Server, before: Server | null): void {
  if (doc.engine_host === null) {
    const name = doc.hostname
    const problem = typeof name === 'string' && name !== before?.hostname ? checkFormat('hostname', name) : null
    if (problem) throw new AppError('invalid', problem, { field: 'hostname' })
    return
  }
  if (!before) return
  const changed = fieldNames(ServerDoctype).find((name) => {
    const field: Field = ServerDoctype.fields[name]
    return !field.server_owned && !field.read_only && !decided.includes(name) && !sameValue(doc[name], before[name])
  })
  if (changed)
    throw new AppError(
      'invalid',
      msg`${labelMessage(fieldLabel(changed, ServerDoctype.fields[changed]))} is detected on this machine and can’t be changed.`,
      {
        field: changed,
        excType: 'CannotChangeConstantError',
      },
    )
}
