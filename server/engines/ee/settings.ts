import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { labelMessage, msg } from '#shared/localized-message.ts'
import { parseJson } from '#shared/parse-json.ts'
import { maxDebugMs } from '#shared/rules/debug-mode.ts'
import { checkUsername } from '#shared/rules/formats.ts'
import { isPhpLimit, memoryLimitsMb, uploadLimitsOf } from '#shared/rules/php-limits.ts'
import { EngineError } from '../engine.ts'
import { notSupported } from '../facets.ts'
import type { EngineSettings, EngineSettingsChange, HttpAuth, SiteSettings } from '../site-settings.ts'
import type { SiteRef } from '../site-ref.ts'
import { assertHasOptions, changeOptions, readOptions, undoOptions } from '../wordpress-options.ts'
import type { EeContext } from './ee-context.ts'
import { eeLacks } from './lacks.ts'
import { isEnabled } from './inventory.ts'
import { writeMark } from './marks.ts'
import { setMaintenance } from './maintenance.ts'
import { ownUser } from './request.ts'
import { change, look, mutate, outputOf } from './remote.ts'
import { managedSite, scriptsOf } from './scripts.ts'
import { enabledSite, existingSite, workdirOf } from './site-of.ts'
import { setEnabled } from './states.ts'
import { printed } from './wp.ts'

/** Settings that EasyEngine has: limits of PHP, HTTP authentication, and stopping a site. */
export function createEeSettings(context: EeContext): SiteSettings {
  return {
    read: (site) => readSettings(context, site),
    async change(site, wanted, { isFormer = false } = {}) {
      assertPossible(wanted, isFormer)
      const { row } = await existingSite(context, site)
      const { memoryMb, uploadMb, httpAuth, maintenance, debugUntil } = wanted
      if (memoryMb !== undefined || uploadMb !== undefined) {
        if (row.site_type === 'html') throw unsupported()
        await setLimits(context, site, { memoryMb, uploadMb }, { isFormer })
      }
      if (httpAuth !== undefined) await setHttpAuth(context, site, httpAuth)
      if (maintenance !== undefined) {
        const isOn = async () => (await readStored(context, site)).maintenance
        await setMaintenance(context, site, { kind: row.site_type, wanted: maintenance, isOn })
      }
      if (debugUntil !== undefined) await setDebug(context, site, debugUntil)
      return readSettings(context, site)
    },
    async suspend(site) {
      await setEnabled(context, site, false)
      await writeMark(context, site, 'suspended')
    },
    async resume(site) {
      await setEnabled(context, site, true)
      await writeMark(context, site, 'live')
    },
    createPreview: () => Promise.reject(unsupported(eeLacks.preview_link)),
    endPreview: () => Promise.reject(unsupported(eeLacks.preview_link)),
    readWordPress: async (site) => readOptions(await optionsOf(context, site)),
    changeWordPress: async (site, changes, options) => changeOptions(await optionsOf(context, site), changes, options),
    undoWordPress: async (site, operationId) => undoOptions(await optionsOf(context, site), operationId),
  }
}

const unsupported = (reason: string = notSupported): EngineError =>
  new EngineError('unsupported', labelMessage(reason), { nextAction: msg`Change it on the server.` })

/** Runs scripts in a WordPress site. */
async function optionsOf(context: EeContext, site: SiteRef) {
  assertHasOptions((await existingSite(context, site)).row.site_type)
  return scriptsOf(await managedSite(context, site))
}

function assertPossible(
  { memoryMb, uploadMb, httpAuth, debugUntil, protections }: EngineSettingsChange,
  isFormer: boolean,
) {
  if (protections !== undefined) throw unsupported(eeLacks.protections)
  const isLimit = (choices: readonly string[], value: number | undefined) =>
    value === undefined || isPhpLimit(choices, value) || (isFormer && /^[1-9]\d{0,5}$/.test(String(value)))
  const isOffered =
    isLimit(memoryLimitsMb, memoryMb) &&
    isLimit(uploadLimitsOf('ee'), uploadMb) &&
    (debugUntil == null || (/^\d{13}$/.test(String(debugUntil)) && debugUntil <= Date.now() + maxDebugMs))
  if (!isOffered)
    throw new EngineError('invalid', msg`This value is not offered here.`, { nextAction: msg`Choose another one.` })
  // Both end up in a command line of EasyEngine.
  if (httpAuth && (checkUsername(httpAuth.user) !== null || !/^[A-Za-z0-9]{8,64}$/.test(httpAuth.password)))
    throw new EngineError('invalid', msg`User name or password have characters that are not allowed.`, {
      nextAction: msg`Use letters and digits.`,
    })
}

const users = z.array(z.object({ username: z.string().check(z.maxLength(255)) })).check(z.maxLength(100))

interface Stored {
  readonly httpAuthUser: string | null
  /** Hash of the password that was set last. */
  readonly hash: string
  readonly maintenance: boolean
  /** Everybody is kept out because something goes on. */
  readonly isClosed: boolean
  /** Milliseconds since 1970; null: off, or over. */
  readonly debugUntil: number | null
  readonly memoryMb: number
  readonly uploadMb: number
  /** What they are without our lines. */
  readonly theirs: PhpLimits
  /** One of them was set from here. */
  readonly isSet: boolean
}

type PhpLimits = Pick<EngineSettings, 'memoryMb' | 'uploadMb'>

/** What PHP has where `custom.ini` says nothing. Source: EasyEngine/dockerfiles, php/8.4/php.ini. */
const imageLimits = { memoryMb: 128, uploadMb: 100 } as const

async function readStored(context: EeContext, site: SiteRef, workdir = ''): Promise<Stored> {
  const output = outputOf(await look(context, site.server, { script: 'settings', args: [site.domain, workdir] }))
  const [json = '', rest = ''] = output.split('\n--hash\n', 2)
  const [hash = '', state = '', ini = ''] = rest.split(/^--(?:state|ini)$/m, 3)
  const { data } = users.safeParse(json.trim() === '' ? [] : parseJson(json))
  if (data === undefined)
    throw new EngineError('unavailable', msg`The settings of the site cannot be read.`, {
      retryable: true,
      nextAction: msg`Retry.`,
    })
  const until = Number(/^debug (\d{13})$/m.exec(state)?.[1] ?? 0)
  return {
    httpAuthUser: data.find(({ username }) => username !== ownUser)?.username ?? null,
    hash: hash.trim(),
    maintenance: /^maintenance$/m.test(state),
    isClosed: /^closed$/m.test(state),
    debugUntil: until > Date.now() ? until : null,
    ...limitsIn(ini),
    theirs: limitsIn(ini.replace(/^; easydash begin$[^]*?^; easydash end$/m, '')),
    isSet: /^; easydash begin$/m.test(ini),
  }
}

const limitsIn = (ini: string): PhpLimits => ({
  memoryMb: megabytes(ini, 'memory_limit') ?? imageLimits.memoryMb,
  uploadMb: megabytes(ini, 'upload_max_filesize') ?? imageLimits.uploadMb,
})

const bytesOf: Readonly<Record<string, number>> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }

/** The last value of a setting of PHP, which is the one that holds. */
function megabytes(ini: string, name: string): number | null {
  const [, size, unit = ''] =
    ini
      .split('\n')
      .map((line) => /^\s*(\w+)\s*=\s*"?(\d{1,12})([KMG]?)"?\s*(?:;.*)?$/i.exec(line))
      .findLast((found) => found?.[1] === name)
      ?.slice(1) ?? []
  return size === undefined ? null : Math.floor((Number(size) * (bytesOf[unit.toUpperCase()] ?? 1)) / 1024 ** 2)
}

async function readSettings(context: EeContext, site: SiteRef): Promise<EngineSettings> {
  const { row, mark } = await existingSite(context, site)
  const { httpAuthUser, maintenance, debugUntil, memoryMb, uploadMb } = await readStored(context, site, workdirOf(row))
  return {
    ...{ httpAuthUser, maintenance, debugUntil, memoryMb, uploadMb, protections: [], previewUntil: null },
    suspended: !isEnabled(row) && mark !== 'archived',
  }
}

/**
 * Sets limits of PHP. One that is left out stays as it is, whoever set it. A former one that people set on the server comes back by
 * their own lines, which may say more than a number of MB.
 */
export async function setLimits(
  context: EeContext,
  site: SiteRef,
  { memoryMb, uploadMb }: Partial<PhpLimits>,
  { isFormer = false, signal }: { readonly isFormer?: boolean; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const theirs = isFormer ? (await readStored(context, site)).theirs : null
  const argument = (value: number | undefined, own: number | undefined) =>
    value === undefined ? '-' : value === own ? '=' : String(value)
  const limits = [argument(memoryMb, theirs?.memoryMb), argument(uploadMb, theirs?.uploadMb)]
  const hasOwn = limits.some((limit) => /^\d/.test(limit))
  await mutate(context, site.server, {
    id: `ee-${site.id}-limits`,
    script: 'limits',
    args: [site.domain, ...limits],
    signal,
    assertPossible: () => enabledSite(context, site, signal),
    async isDone() {
      const now = await readStored(context, site)
      const isNow = (value: number | undefined, found: number) => value === undefined || value === found
      return (now.isSet || !hasOwn) && isNow(memoryMb, now.memoryMb) && isNow(uploadMb, now.uploadMb)
    },
  })
}

async function setHttpAuth(context: EeContext, site: SiteRef, auth: HttpAuth | null): Promise<void> {
  const user = auth?.user ?? (await readStored(context, site)).httpAuthUser
  if (user === null) return
  // The password itself is not read back: EasyEngine has it in clear text.
  const hash = auth === null ? '-' : createHash('sha256').update(`${site.id} ${auth.password}`).digest('hex')
  await mutate(context, site.server, {
    id: `ee-${site.id}-auth`,
    script: 'http-auth',
    args: [site.domain, user, hash],
    variables: { secret: auth?.password ?? '' },
    assertPossible: () => enabledSite(context, site),
    async isDone() {
      const now = await readStored(context, site)
      return auth === null ? now.httpAuthUser === null : now.httpAuthUser === user && now.hash === hash
    },
  })
}

/** Turns debug mode on until a time (milliseconds since 1970), or off. */
export async function setDebug(
  context: EeContext,
  site: SiteRef,
  until: number | null,
  signal?: AbortSignal,
): Promise<void> {
  const { workdir } = await managedSite(context, site)
  const args = [site.domain, workdir, until === null ? '' : String(until)]
  printed(await change(context, site.server, { script: 'debug', args, signal }))
}

/** Keeps everybody out while something goes on, also those who may sign in during maintenance, or does so no more: maintenance stays as it is. */
export async function setClosed(
  context: EeContext,
  site: SiteRef,
  wanted: boolean,
  signal?: AbortSignal,
): Promise<void> {
  const isOn = async () => (await readStored(context, site)).isClosed
  // By the rules of a site without WordPress, nobody signs in.
  await setMaintenance(context, site, { kind: 'html', wanted, isOn, reason: 'closed' }, signal)
}
