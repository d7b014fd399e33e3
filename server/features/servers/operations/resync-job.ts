import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import { fieldLabel } from '#shared/doctype.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { sameValue } from '#shared/same-value.ts'
import { writeServer } from '../job-parts.ts'
import { measureStep } from '../remote/measure-server.ts'
import { healthyValues } from '../server-fields.ts'
import type { ServersContext } from '../servers-context.ts'
import { keysStep } from './keys.ts'
import { operationJob } from './operation-job.ts'

/** `server.resync`: reads what a machine is and how it is set up, and says what was changed there by others. */
export function resyncJob(context: ServersContext): JobDefinition {
  return operationJob('resync', {
    label: ({ referenceTitle }) => `Resync ${referenceTitle}`,
    deadlineSeconds: 600,
    steps: async () => [
      keysStep(context, (job) => job.keep({ drift: 'SSH keys' })),
      { ...measureStep(context, keepDrift), shows: [{ name: 'drift', label: 'Changed there' }] },
    ],
    done: ({ referenceName }, tx) => writeServer(tx, referenceName, healthyValues),
  })
}

const compared = ['timezone', 'total_swap', 'automatic_updates', 'firewall'] as const satisfies (keyof Server)[]

function keepDrift(found: Partial<Server>, before: Server, job: JobContext): void {
  const set = (server: Partial<Server>, name: (typeof compared)[number]) => {
    if (name !== 'firewall') return server[name]
    // Whom fail2ban keeps out is no setting.
    const { banned: _now, ...rules } = server.firewall ?? { banned: [] }
    return rules
  }
  const changed = compared.filter((name) => before[name] !== null && !sameValue(set(found, name), set(before, name)))
  const labels = changed.map((name) => fieldLabel(name, ServerDoctype.fields[name]))
  const keys = job.kept['drift'] === 'SSH keys' ? ['SSH keys'] : []
  if (keys.length + labels.length > 0) job.keep({ drift: [...keys, ...labels].join(', ') })
}
