import { abortError } from '#server/platform/abort-error.ts'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'

/** A package version with a known checksum. */
export interface PinnedPackage {
  /** Name and exact version, e.g. `left-pad@1.3.0`. */
  spec: string
  /** Base64 SHA-512 of the tarball, as in npm's `integrity` field. */
  sha512: string
}

const projectRoot = fileURLToPath(new URL('../../../../', import.meta.url))

/**
 * Downloads a package's tarball with the user's own npm, so that their registry, proxy and credentials apply.
 * @param into an existing, empty folder
 * @returns the path of the verified tarball
 * @throws {EngineError} `unavailable` if npm or the registry can't deliver, or the checksum doesn't match
 */
export async function npmPack(pinned: PinnedPackage, into: string, signal: AbortSignal): Promise<string> {
  await runNpm(['pack', pinned.spec, '--ignore-scripts', '--silent', '--pack-destination', into], pinned, signal)
  const name = (await readdir(into)).find((entry) => entry.endsWith('.tgz'))
  if (name === undefined) throw unavailable(pinned, undefined)
  const tarball = join(into, name)
  const hash = createHash('sha512')
  await pipeline(createReadStream(tarball), hash, { signal })
  if (hash.digest('base64') !== pinned.sha512) {
    await rm(tarball)
    throw new EngineError(
      'unavailable',
      msg`The package registry delivered ${pinned.spec} with other content than expected; it was deleted.`,
      {
        nextAction: msg`Check which registry npm is configured to use, then try again.`,
      },
    )
  }
  return tarball
}

function runNpm(args: string[], pinned: PinnedPackage, signal: AbortSignal): Promise<void> {
  // Within an npm script, npm sets its own path; using it avoids a second lookup (and the shell that Windows would need).
  const own = process.env['npm_execpath']
  const [file, first] = own?.endsWith('.js') === true ? [process.execPath, [own]] : ['npm', []]
  return new Promise((resolve, reject) => {
    // The project folder: npm reads the project's .npmrc there.
    const npm = execFile(
      file,
      [...first, ...args],
      { cwd: dirname(join(projectRoot, 'package.json')), signal, maxBuffer: 64 * 1024 * 1024 },
      (error) => {
        const settle = (): void => {
          if (error === null) resolve()
          else if (signal.aborted) reject(abortError(signal))
          else reject(unavailable(pinned, error))
        }
        // Node reports an abort before the process has ended, and until then it may write.
        if (npm.pid === undefined || npm.exitCode !== null || npm.signalCode !== null) settle()
        else npm.once('exit', settle)
      },
    )
  })
}

function unavailable(pinned: PinnedPackage, cause: unknown): EngineError {
  return new EngineError(
    'unavailable',
    msg`WordPress could not be fetched: npm could not get ${pinned.spec} from the package registry.`,
    {
      retryable: true,
      nextAction: msg`Make sure that "npm ping" succeeds on this machine, then try again; a machine that has it cached can also share its cache folder.`,
      cause,
    },
  )
}
