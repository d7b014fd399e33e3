import { controller, type Controller } from '#server/contracts/controller.ts'
import { assertFreshPassword } from '#server/contracts/session.ts'
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
import { startDecommission } from './decommission/decommission-job.ts'
import { connectNew, prepareNew } from './new-server.ts'
import { assertAuthorizedKeys } from '#server/platform/ssh/authorized-keys.ts'
import { pushKeys } from './operations/keys.ts'
import { operationActions } from './operations/operation-actions.ts'
import { confirmHostKey } from './provision/own-host-key.ts'
import { getMonitoring } from './monitoring/monitoring-action.ts'
import { refreshServer } from './remote/watch-servers.ts'
import { assertPublicAddresses } from './server-addresses.ts'
import type { ServersContext } from './servers-context.ts'
import { terminalActions } from './terminals/terminal-actions.ts'
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
    before_insert: (doc, { session, tx }) => prepareNew(context, doc, { session, tx }),
    async after_insert(doc, { session, tx }) {
      // Rows of our own are what they say they are.
      if (session.kind !== 'system') doc.job = await connectNew(context, tx, doc)
    },
    async on_update(doc, before, { session, tx }) {
      const isOwn = doc.cloud_provider === null || doc.cloud_provider === 'Custom'
      if (session.kind === 'system') return
      if (isOwn && before.public_ipv4 === null) await connectNew(context, tx, doc)
      if (doc.authorized_keys !== before.authorized_keys) await pushKeys(context, tx, doc)
    },
    async validate(doc, before) {
      assertEditable(doc, before)
      if (doc.authorized_keys !== (before?.authorized_keys ?? null)) assertAuthorizedKeys(doc, 'authorized_keys')
      assertPublicAddresses(doc, before, context.deps.config)
    },
    // Only for client requests: the row is still deleted with its organization or with the grant.
    async delete_request(doc, { session, tx }) {
      assertFreshPassword(session)
      if (context.machine && doc.engine_host === context.machine.name)
        throw new AppError('invalid', msg`This machine belongs to the installation and cannot be removed.`)
      if (doc.provider_id !== null && doc.status !== 'Decommissioned')
        throw new AppError(
          'invalid',
          msg`The machine of this server would keep running at ${String(doc.cloud_provider)}.`,
          {
            nextAction: msg`Decommission the server: that deletes its machine, too.`,
          },
        )
      await assertNotLocked(tx, doc)
      await assertNotShared(tx, doc.name)
      await assertNotLinked(tx.trx, doctypes, ServerDoctype, doc.name)
      await tx.delete(ServerDoctype, doc.name)
      return {}
    },
    actions: {
      refresh_facts: (doc) => (doc.engine_host === null ? refreshServer(context, doc) : refreshNow(context, doc)),
      get_monitoring: (doc) => getMonitoring(context, doc),
      confirm_host_key: (doc, { fingerprint }) => confirmHostKey(context, doc, fingerprint),
      decommission: (doc, _args, { tx }) => startDecommission(context, tx, doc),
      ...operationActions(context),
      ...terminalActions(context),
    },
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
