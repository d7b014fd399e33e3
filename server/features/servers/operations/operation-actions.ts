import type { Behavior } from '#server/contracts/controller.ts'
import type { Server, ServerDoctype } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { currentTimeZone, timeZones } from '#shared/rules/time-zones.ts'
import { orderElsewhere } from '../provision/order-elsewhere.ts'
import type { ServersContext } from '../servers-context.ts'
import { firewallArgs } from './firewall-args.ts'
import { startOperation } from './operation-job.ts'

/** Actions that start a job on the machine of a server. */
export function operationActions(context: ServersContext) {
  return {
    reboot: (doc, _args, { tx }) => startOperation(context, tx, { doc, action: 'reboot' }),
    resync: (doc, _args, { tx }) => startOperation(context, tx, { doc, action: 'resync' }),
    upgrade_easyengine: (doc, _args, { tx }) => startOperation(context, tx, { doc, action: 'upgrade_easyengine' }),
    async set_timezone(doc, args, { tx }) {
      // Intl takes them in any case and by former names; machines do not.
      const timezone = currentTimeZone(args.timezone)
      if (timezone !== 'Etc/UTC' && !timeZones.includes(timezone))
        throw new AppError('invalid', msg`Choose a time zone such as Europe/Berlin.`, { field: 'timezone' })
      return startOperation(context, tx, { doc, action: 'set_timezone', args: { timezone } })
    },
    async resize(doc, args, { tx }) {
      if (!/^[a-z0-9][a-z0-9._-]{0,59}$/i.test(args.vm_type) || args.vm_type === doc.vm_type)
        throw new AppError('invalid', msg`Choose another machine type.`, { field: 'vm_type' })
      return startOperation(context, tx, { doc: ofProvider(doc), action: 'resize', args })
    },
    order_elsewhere: (doc, args, { tx }) => orderElsewhere(context, tx, doc, args),
    snapshot: async (doc, args, { tx }) =>
      startOperation(context, tx, { doc: ofProvider(doc), action: 'snapshot', args }),
    set_swap: (doc, args, { tx }) => startOperation(context, tx, { doc, action: 'set_swap', args }),
    set_automatic_updates: (doc, args, { tx }) =>
      startOperation(context, tx, { doc, action: 'set_automatic_updates', args }),
    async unban(doc, { address }, { tx }) {
      const banned = doc.firewall?.banned.find((one) => one === address.toLowerCase())
      if (banned === undefined)
        throw new AppError('invalid', msg`${address} is not banned, as far as Easydash knows.`, {
          field: 'address',
          nextAction: msg`Use Resync to read who is banned now.`,
        })
      return startOperation(context, tx, { doc, action: 'unban', args: { address: banned } })
    },
    firewall: async (doc, args, { tx }) =>
      startOperation(context, tx, { doc, action: 'firewall', args: firewallArgs(doc, args) }),
  } satisfies Behavior<typeof ServerDoctype>['actions']
}

function ofProvider(doc: Server): Server {
  if (doc.provider_id !== null) return doc
  throw new AppError('unsupported', msg`This server is not a machine that Easydash ordered at a provider.`, {
    nextAction: msg`Do it in the console of its provider.`,
  })
}
