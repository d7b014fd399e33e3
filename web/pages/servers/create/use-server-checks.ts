import { useState } from 'react'
import { serverChecks, type ServerChecks } from '#shared/responses/servers.ts'
import type { FormValues } from '#web/documents/form/form-state.ts'
import { useMethod, type Loaded } from '#web/lib/api/frappe.tsx'
import { t } from './messages.ts'

/** How often a machine is looked at until all checks pass, in milliseconds. */
const repeatMs = 5000

const isPassed = ({ state }: ServerChecks['checks'][number]): boolean => state === 'ok' || state === 'warn'

/** Whether nothing that was found keeps the machine from being used. */
const allPassed = ({ host_key, checks }: ServerChecks): boolean => host_key !== null && checks.every(isPassed)

/** Number of checks that passed. */
export const passedCount = ({ checks }: ServerChecks): number => checks.filter(isPassed).length

/** Looks at a machine that exists already, again and again until all checks pass. Null looks at none. */
export function useServerChecks(values: FormValues | null): Loaded<ServerChecks> {
  const [isPassing, setPassing] = useState(false)
  const { public_ipv4, ssh_user, ssh_port, host_key } = values ?? {}
  const checks = useMethod(
    values && 'easydash.easydash.doctype.server.server.check_server',
    { public_ipv4, ssh_user, ssh_port: Number(ssh_port), host_key: host_key || undefined },
    { verb: 'POST', returns: serverChecks, ...(!isPassing && { refreshInterval: repeatMs }) },
  )
  const passing = checks.data !== undefined && allPassed(checks.data)
  if (passing !== isPassing) setPassing(passing)
  return checks
}

/** Why the machine can't be added yet: a check that has not passed, or its fingerprint that nobody has confirmed. */
export function notReadyReason(checks: ServerChecks | undefined, confirmedKey: unknown): string | null {
  if (checks === undefined || !allPassed(checks)) return t('create.not_ready_checks')
  return checks.host_key === confirmedKey ? null : t('create.not_ready_key')
}
