import { createHash } from 'node:crypto'
import type { Sums, WordPressCatalogue } from '#server/engines/wordpress-catalogue.ts'
import {
  coreFiles,
  pluginHeader,
  wordpressVersions,
} from '#server/providers/simulator/easyengine/wordpress/core-files.ts'

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

const sumsOf = (files: Readonly<Record<string, string>>): Sums =>
  Object.entries(files).map(([path, text]) => [path, md5(text)] as const)

/** As many as a real WordPress has; the simulated ones have only a few of them. */
const others = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`wp-includes/part-${at}.php`, String(at)]))

/** What is known of the WordPress that simulated servers have. */
export const simulatedCatalogue: WordPressCatalogue = {
  translations: async (version) => [{ locale: 'de_DE', version, name: 'German', native: 'Deutsch' }],
  releases: async () => [
    { version: wordpressVersions.newest, state: 'latest' },
    { version: wordpressVersions.installed, state: 'outdated' },
  ],
  coreSums: async (version, locale) => ({
    source: 'wordpress.org',
    sums: sumsOf({ ...coreFiles(version, locale), ...others }),
  }),
  originals:
    () =>
    async ({ main }) =>
      main === 'hello.php'
        ? { source: 'bundled', sums: sumsOf({ [main]: pluginHeader('Hello Dolly', '1.7.2') }), isKept: false }
        : { unchecked: 'unknown' },
  async original(of, names) {
    const text = 'core' in of ? coreFiles(of.core)[names.join('/')] : undefined
    return { file: text === undefined ? null : { bytes: text.length, content: Buffer.from(text) } }
  },
}
