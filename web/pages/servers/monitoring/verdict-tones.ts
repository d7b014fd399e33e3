import type { Verdict } from '#shared/responses/server-monitoring.ts'
import type { Tone } from '#web/ui/status.tsx'

/** How a verdict looks. Only what was observed is green. */
export const verdictTones: Readonly<Record<Verdict, Tone>> = {
  ok: 'ok',
  warn: 'warn',
  failed: 'bad',
  unknown: 'none',
  none: 'off',
}
