/** Values that steps keep (`JobContext.keep`). */
import { isSecretName, redact } from '#server/platform/log/redact.ts'
import { redactSecrets } from '#server/platform/log/redact-text.ts'
import type { JobStep, KeptValues } from '#shared/doctypes/job.ts'
import { cleanLines } from './log/log-buffer.ts'

/** Most values of one step. */
const maxValues = 20
/** Longest text, in characters. A cut address or id would be a wrong one, so a longer one is refused. */
const maxLength = 500

/** What a step keeps after it kept these values, too: without secrets, like its log. Throws if one can't be kept. */
export function addKept(kept: KeptValues, values: KeptValues): KeptValues {
  const all: Record<string, KeptValues[string]> = { ...kept }
  for (const [name, value] of Object.entries(values)) {
    if (!/^[a-z][a-z0-9_]{0,39}$/.test(name) || isSecretName(name)) throw new Error(`A step can’t keep “${name}”`)
    const clean =
      typeof value === 'string'
        ? cleanLines(value, redactSecrets).join(' ')
        : (redact(value as unknown) as typeof value)
    const fits =
      typeof clean === 'string' ? clean.length <= maxLength : typeof clean !== 'number' || Number.isFinite(clean)
    if (!fits) throw new Error(`The value of “${name}” can’t be kept`)
    all[name] = clean
  }
  if (Object.keys(all).length > maxValues) throw new Error(`A step keeps at most ${maxValues} values`)
  return all
}

/** All values that the steps of a job kept. */
export function keptBy(steps: readonly JobStep[]): KeptValues {
  return Object.assign({}, ...steps.map((step) => step.kept)) as KeptValues
}
