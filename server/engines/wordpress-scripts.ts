/** What engines have in common that manage WordPress by the scripts in `local/php/`, wherever these run. */
import * as z from 'zod/mini'
import { isObject } from '#shared/parse-json.ts'
import { msg } from '#shared/localized-message.ts'
import {
  readPlugins,
  wordpressFacts,
  wordpressUsers,
  type WordPressFacts,
  type WordPressPlugin,
  type WordPressUsers,
} from '#shared/responses/wordpress.ts'
import type { WordPressChange } from '#shared/rules/wordpress-changes.ts'
import { EngineError } from './engine.ts'
import { packageRefusal } from './package-refusal.ts'
import type { WordPressChangeResult } from './wordpress.ts'
import type { InstalledPackage } from './wordpress-packages.ts'

/** Scripts of `local/php/` that manage WordPress. */
export type WordPressScript =
  | 'inspect'
  | 'plugins'
  | 'people'
  | 'change'
  | 'login'
  | 'health'
  | 'package'
  | 'options'
  | 'options-undo'
  | 'languages'
  | 'checksum'
  | 'core'
  | 'upgrade'
  | 'browse'
  | 'sql'
  | 'settle'

/** Runs a script in a site, and returns its result as `scriptResult` checks it. */
export type RunWordPressScript = (
  script: WordPressScript,
  input: Record<string, unknown>,
  signal?: AbortSignal,
) => Promise<Readonly<Record<string, unknown>>>

/** Longest text of why WordPress does not load. */
const maxReasonLength = 300

/** What a script wrote. Throws EngineError `unavailable` if the site's code failed, or wrote something else instead. */
export function scriptResult(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw unreadable()
  if (value['fatal'] !== undefined) throw siteFailed(value)
  return value
}

/** The error for a result that is not what the script writes: the site can replace the scripts. */
export function unreadable(): EngineError {
  return new EngineError('unavailable', msg`The site gave a response that Easydash can’t read.`, {
    nextAction: msg`Look at the error log of the site, and at its must-use plugins.`,
  })
}

function siteFailed({ fatal, file, line }: Readonly<Record<string, unknown>>): EngineError {
  const [why, where] = [fatal, file].map((text) => (typeof text === 'string' ? text.slice(0, 300) : ''))
  return new EngineError(
    'unavailable',
    msg`The site’s own code failed: ${why ?? ''} (${where ?? ''}, line ${Number(line)})`,
    {
      nextAction: msg`Look at the error log of the site.`,
    },
  )
}

/** See `WordPressManagement.inspect`. `complete` adds what the script does not know. */
export async function inspectWordPress(
  run: RunWordPressScript,
  signal: AbortSignal | undefined,
  complete: (facts: WordPressFacts) => WordPressFacts | Promise<WordPressFacts>,
): Promise<WordPressFacts> {
  const read = async (safe: boolean, broken: string | null) => {
    const { data } = wordpressFacts.safeParse({ ...(await run('inspect', { safe }, signal)), broken })
    if (!data) throw unreadable()
    return complete(data)
  }
  try {
    return await read(false, null)
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof EngineError) || error.code !== 'unavailable') throw error
    return read(true, error.message.slice(0, maxReasonLength))
  }
}

/** See `WordPressManagement.plugins`. A drop-in can break this, too; `inspect` then finds a way around it. */
export async function listPlugins(
  run: RunWordPressScript,
  signal: AbortSignal | undefined,
  inspect: () => Promise<WordPressFacts>,
): Promise<WordPressPlugin[]> {
  try {
    const { data } = readPlugins.safeParse(await run('plugins', {}, signal))
    if (!data) throw unreadable()
    return data.plugins
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof EngineError) || error.code !== 'unavailable') throw error
    return (await inspect()).plugins
  }
}

/** See `WordPressManagement.users`. */
export async function listUsers(
  run: RunWordPressScript,
  query: { readonly search: string; readonly page: number },
): Promise<WordPressUsers> {
  const { data } = wordpressUsers.safeParse(await run('people', { ...query }))
  if (!data) throw unreadable()
  return data
}

/** Changes of what is active. */
export function isSwitch({ kind }: WordPressChange): boolean {
  return kind === 'activate_plugin' || kind === 'deactivate_plugin' || kind === 'activate_theme'
}

/** Deletions that can be taken back. */
export function isDeletion({ kind }: WordPressChange): boolean {
  return kind === 'delete_plugin' || kind === 'delete_theme'
}

/** What the script `change` is told. */
export type ChangeInput = {
  readonly change:
    | WordPressChange
    | { readonly kind: 'set_password'; readonly login: string }
    | { readonly kind: 'undo'; readonly operation: string }
  /** Operation for which what is active before is kept. */
  readonly operation?: string | null
  /** What is deleted is moved to where `deleted.php` finds it. */
  readonly keep?: boolean
  /** Its Redis can be that of other sites, too. */
  readonly shared?: boolean
  readonly safe: boolean
  readonly password?: string
}

/** Makes a change by the script `change`. Throws EngineError with the reason if it is refused. */
export async function changeWordPress(
  run: RunWordPressScript,
  input: ChangeInput,
  signal?: AbortSignal,
): Promise<WordPressChangeResult> {
  const result = await run('change', input, signal)
  if (result['refused'] !== undefined) throw refusal(result)
  const { ran } = result
  return { ran: typeof ran === 'number' && Number.isSafeInteger(ran) ? ran : null }
}

function refusal({ refused, why }: Readonly<Record<string, unknown>>): EngineError {
  if (refused === 'missing') {
    return new EngineError('not_found', msg`It does not exist on this site any more.`, {
      nextAction: msg`Refresh the list.`,
    })
  }
  if (refused === 'active') {
    return new EngineError('conflict', msg`What is active can’t be deleted.`, { nextAction: msg`Deactivate it first.` })
  }
  if (refused === 'last_administrator') {
    return new EngineError('conflict', msg`The site would have no administrator left.`, {
      nextAction: msg`Make another user an administrator first.`,
    })
  }
  if (refused === 'no_network' || refused === 'main_site' || refused === 'taken') return networkRefusal(refused)
  if (refused === 'not_multisite') {
    return new EngineError('unsupported', msg`The site is not a network.`, {
      nextAction: msg`Turn on multisite first.`,
    })
  }
  const reason = typeof why === 'string' ? why.slice(0, maxReasonLength) : ''
  if (refused === 'invalid' && reason !== '') {
    return new EngineError('invalid', msg`WordPress refused it: ${reason}`, {
      nextAction: msg`Correct that and try again.`,
    })
  }
  return new EngineError('unavailable', msg`WordPress could not do it.`, {
    nextAction: msg`Look at the error log of the site.`,
  })
}

function networkRefusal(refused: 'no_network' | 'main_site' | 'taken'): EngineError {
  if (refused === 'taken') {
    return new EngineError('conflict', msg`The path is taken by a site, a page or a folder, or WordPress keeps it.`, {
      nextAction: msg`Choose another path.`,
    })
  }
  if (refused === 'main_site') {
    return new EngineError('conflict', msg`The first site of a network can’t be deleted.`, {
      nextAction: msg`Delete another one.`,
    })
  }
  return new EngineError('unsupported', msg`The site is no network in subdirectories.`, {
    nextAction: msg`Turn on multisite first.`,
  })
}

/** Throws EngineError with the reason unless the script `login` said that a person may sign in as another user. */
export function assertLoginAs({ found, refused }: Readonly<Record<string, unknown>>): void {
  if (found !== true) throw loginAsRefusal(refused)
}

function loginAsRefusal(refused: unknown): EngineError {
  if (refused === 'missing') {
    return new EngineError('not_found', msg`This user does not exist on the site any more.`, {
      nextAction: msg`Refresh the list.`,
    })
  }
  if (refused === 'personal') {
    return new EngineError('conflict', msg`This user belongs to another person, who alone signs in as it.`, {
      nextAction: msg`Choose another user.`,
    })
  }
  return new EngineError('conflict', msg`This user may do more in WordPress than you.`, {
    nextAction: msg`Choose another user, or ask somebody who manages the site.`,
  })
}

const installed = z.object({
  id: z.string().check(z.maxLength(200)),
  name: z.string().check(z.maxLength(200)),
  version: z.string().check(z.maxLength(40)),
  replaced: z.nullable(z.string().check(z.maxLength(40))),
})

/** Runs the script `package`. Throws EngineError with the reason if it is refused. */
export async function runPackage(
  run: RunWordPressScript,
  input: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const result = await run('package', { ...input }, signal)
  if (result['refused'] !== undefined) throw packageRefusal(result)
  return result
}

/** Likewise, for what changes a plugin or theme. */
export async function changePackage(
  run: RunWordPressScript,
  input: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<InstalledPackage> {
  const { data } = installed.safeParse(await runPackage(run, input, signal))
  if (!data) throw unreadable()
  return data
}
