import { randomBytes } from 'node:crypto'
import type { StepContext } from '../../engine.ts'
import type { WxrContent } from '../archives/wxr/wxr-sql.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { runScript } from '../wordpress/run-script.ts'

/** Used where the export has no author. */
const noAuthor = { login: 'admin', email: 'admin@example.com', name: 'admin' }

/** Installs an empty WordPress for content without a database of its own. Removes what an earlier attempt left. */
export async function installForContent(
  context: LocalContext,
  record: SiteRecord,
  { title, admin }: WxrContent,
  step: StepContext,
): Promise<void> {
  const { signal } = step
  if (record.database === 'mysql') await context.mysql.empty(record.id, signal)
  else await runScript(context, record, { script: 'import', input: { reset: true }, signal })
  const { login, email } = admin ?? noAuthor
  const input = {
    title: title ?? record.domain,
    user: login,
    email: email || noAuthor.email,
    // Nobody gets to know it: the owner logs in by a link.
    password: randomBytes(32).toString('base64url'),
  }
  await runScript(context, record, { script: 'install', input, signal })
  step.log(`Installed WordPress; ${login} is its administrator`)
}

/** What the rows of the content don't say, and what WordPress counts by itself. */
export async function finishContent(
  context: LocalContext,
  record: SiteRecord,
  { title, tagline, sticky, admin }: WxrContent,
  signal: AbortSignal,
): Promise<void> {
  const { login, name } = admin ?? noAuthor
  await runScript(context, record, { script: 'content', input: { title, tagline, sticky, login, name }, signal })
}
