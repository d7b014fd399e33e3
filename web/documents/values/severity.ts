import type { Severity } from '#shared/rules/notification-events.ts'
import type { Tone } from '#web/ui/status.tsx'
import { t } from './messages.ts'

/** Color of each severity. */
export const severityTones: Readonly<Record<Severity, Tone>> = { critical: 'bad', warning: 'warn', info: 'info' }

/** Name of a severity. */
export const severityLabel = (severity: Severity): string => t(`severity.${severity}`)
