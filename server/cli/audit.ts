import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { verifyAudit } from '#server/features/activity/verify.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Database } from '#server/platform/database/database.ts'
import { createSecrets } from '#server/platform/secrets/secrets.ts'
import { StartupError, systemErrorCode } from '#server/platform/processes/startup-error.ts'

/** Usage of the command. */
export const auditUsage = 'audit verify [--heads FILE]'

/**
 * `audit verify`: verifies the activity log against its hash chain and its exported heads. Resolves to whether it is intact.
 */
export async function auditVerify(
  args: string[],
  config: Config,
  database: Database,
  print: (line: string) => void,
): Promise<boolean> {
  const given = headsArgument(args)
  // npm runs scripts in the project folder; the user may be in another one.
  const heads = given === null ? null : resolve(process.env['INIT_CWD'] ?? process.cwd(), given)
  try {
    const seals = () => createSecrets({ database, source: config })
    return await verifyAudit({ db: database.db, dataDir: config.dataDir, heads, seals }, print)
  } catch (error) {
    const code = systemErrorCode(error)
    if (heads === null || !['ENOENT', 'EACCES', 'EISDIR'].includes(code)) throw error
    throw new StartupError(
      `The file ${heads} cannot be read (${code}).`,
      `Usage: npm run easydash -- ${auditUsage}`,
      error,
    )
  }
}

function headsArgument(args: string[]): string | null {
  try {
    return parseArgs({ args, options: { heads: { type: 'string' } } }).values.heads ?? null
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new StartupError(message, `Usage: npm run easydash -- ${auditUsage}`)
  }
}
