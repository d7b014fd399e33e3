import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import type { WordPressFiles } from '../wordpress-files.ts'
import type { FakeContext } from './fake-context.ts'
import { existingWordPress, readSite, writeSite } from './fake-store.ts'
import { newWordPress, type FakeWordPress } from './fake-wordpress-state.ts'

/** Originals of a fake site: every file that is not listed as changed is one. */
export function createFakeOriginals(context: FakeContext): WordPressFiles {
  const open = (site: SiteRef): FakeWordPress => {
    const known = existingWordPress(context, site)
    return known.management ?? newWordPress(known.adminUser)
  }
  return {
    async verifyPackages(site) {
      const { facts, changed, kept = [] } = open(site)
      const of = (type: 'plugin' | 'theme', id: string, about: { id: string; name: string; version: string }) => {
        const own = `wp-content/${type}s/${id}/`
        const differing = changed.filter((path) => path.startsWith(own)).map((path) => path.slice(own.length))
        const { name, version } = about
        const restorable = kept.includes(`${type} ${about.id}`)
        const lists = { changed: differing, added: [], missing: [], truncated: false }
        return {
          type,
          id,
          name,
          version,
          source: 'bundled' as const,
          unchecked: null,
          restorable,
          checked: 10,
          ...lists,
        }
      }
      return [
        ...facts.plugins.map((one) => of('plugin', one.id.split('/')[0] ?? one.id, one)),
        ...facts.themes.map((one) => of('theme', one.id, one)),
      ]
    },
    async compare(site, path) {
      const { changed } = open(site)
      if (!/^wp-(?:admin|includes|content\/(?:plugins|themes))\//.test(path)) {
        throw new EngineError('invalid', msg`Only files of WordPress, its plugins and themes have an original.`, {
          nextAction: msg`Choose one of the list.`,
        })
      }
      const sizes = { truncated: false, original_bytes: 10, bytes: 10 }
      if (!changed.includes(path)) return { path, result: 'same', diff: null, ...sizes }
      return { path, result: 'text', diff: '@@ -1,1 +1,1 @@\n-original\n+changed\n', ...sizes }
    },
  }
}

/** Makes a file differ from its original. */
export function changeFakeFile(context: FakeContext, id: string, path: string): void {
  const known = readSite(context, id)
  if (known === null) return
  const management = known.management ?? newWordPress(known.adminUser)
  management.changed.push(path)
  writeSite(context, { ...known, management })
}
