import { EeError, type EeContext } from './ee-context.ts'
import { setting } from './settings.ts'

/** Why a backup failed, as the dashboard is told. */
export interface BackupProblem {
  readonly error_message: string
  readonly error_type: string
  readonly error_code: number
}

/** Milliseconds between attempts: 300 seconds in EasyEngine. */
const pauseMs = 300
const attempts = 4

/** Tells the dashboard at `ed-api-url` how a backup ended. */
export function reportBackup(context: EeContext, site: string, auth: string) {
  const [backup, verify] = [auth.slice(0, auth.indexOf(':')), auth.slice(auth.indexOf(':') + 1)]
  if (!auth.includes(':') || backup === '' || verify === '')
    throw new EeError('Invalid --dash-auth format. Expected: backup-id:backup-verification-token')
  const base = setting(context, 'ed-api-url')
  if (!base?.startsWith('http'))
    throw new EeError('ed-api-url is not configured. Please set it in /opt/easyengine/config/config.yml')
  const method = (name: string) => `${base}easydash.easydash.doctype.site_backup.site_backup.${name}`
  const known = { site, backup, verify }
  return {
    success: (metadata: object) => post(context, method('on_ee_backup_success'), { ...known, metadata }),
    failure: (problem: BackupProblem) => post(context, method('on_ee_backup_failure'), { ...known, ...problem }),
  }
}

/** Repeated only if the dashboard cannot be reached or answers 5xx. */
async function post({ log, warning }: EeContext, url: string, body: object): Promise<boolean> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const status = await statusOf(url, body)
    if (status !== null && status < 300) {
      log('EasyEngine Dashboard callback sent successfully.')
      return true
    }
    warning(`EasyEngine Dashboard callback failed${status === null ? '' : ` with HTTP ${status}`}.`)
    if (status !== null && status < 500) return false
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return false
}

async function statusOf(url: string, body: object): Promise<number | null> {
  try {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(30_000) }
    return (await fetch(url, init)).status
  } catch {
    // Nobody answers.
    return null
  }
}
