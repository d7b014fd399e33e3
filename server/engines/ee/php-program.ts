import { readFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'

/** Texts of scripts without their first line, by path. */
const texts = new Map<string, string>()

/** The text of a script without its first line, by its path from here. */
export function phpText(path: string): string {
  const text = texts.get(path) ?? readFileSync(new URL(path, import.meta.url), 'utf8').replace(/^<\?php\n/, '')
  texts.set(path, text)
  return text
}

/** Scripts that exist for servers only; the others are the local engine's. */
const ownScripts: readonly string[] = ['bring', 'content', 'enter', 'visit']

/** A script of `local/php/` or `php/` as one text: what it requires precedes the place, or is at the beginning if that is inside of a function. */
function bundled(name: string): string {
  const seen = new Set<string>()
  const first: string[] = []
  const load = (one: string): string =>
    phpText(ownScripts.includes(one) ? `php/${one}.php` : `../local/php/${one}.php`).replaceAll(
      /^([\t ]*)require '\/internal\/easydash\/([a-z-]+)\.php';$/gm,
      (_line, indent: string, required: string) => {
        if (seen.has(required)) return ''
        seen.add(required)
        if (indent !== '') {
          first.push(load(required))
          return ''
        }
        return load(required)
      },
    )
  const script = load(name)
  return [...first, script].join('\n')
}

/** What a script prints its result after. */
export const resultMark = 'easydash-result:'

/** Where and with what a script runs. */
export interface PhpCall {
  readonly script: string
  readonly input: Readonly<Record<string, unknown>>
  readonly domain: string
  readonly isSecure: boolean
  /** The folder of WordPress inside of the container. */
  readonly workdir: string
}

/** A text as an expression of PHP. */
export const inPhp = (text: string | Buffer): string => `base64_decode( '${Buffer.from(text).toString('base64')}' )`

/** A script as the PHP of a site on a server runs it from its standard input. The first lines say which it is, and with what. */
export function phpProgram({ script, input, domain, isSecure, workdir }: PhpCall): string {
  const body = bundled(script).replaceAll(/(['"])\/wordpress(?=[/'"])/g, `$1${workdir}`)
  return [
    `<?php /* easydash: ${script} */`,
    `$_SERVER['EASYDASH_INPUT'] = gzinflate( ${inPhp(deflateRawSync(JSON.stringify(input)))} );`,
    `define( 'EASYDASH_MARK', '${resultMark}' ); define( 'EASYDASH_DOMAIN', ${inPhp(domain)} ); define( 'EASYDASH_HTTPS', '${isSecure ? 'on' : ''}' );`,
    phpText('php/prologue.php'),
    body,
  ].join('\n')
}
