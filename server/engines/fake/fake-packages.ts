import { readFileSync } from 'node:fs'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import type { InstalledPackage, PackageSource, PackageType, WordPressPackages } from '../wordpress-packages.ts'
import type { FakeContext } from './fake-context.ts'
import { existingWordPress, writeSite } from './fake-store.ts'
import { newWordPress, plugin, theme, type FakePackage, type FakeWordPress } from './fake-wordpress-state.ts'

/** Version of what the fake wordpress.org offers. It has everything but `missing`; `breaks-page` breaks the pages of a site. */
const newest = '2.0'

/** Packages of the sites of a fake engine. A file contains `plugin NAME VERSION`, `theme NAME VERSION` or anything else. */
export function fakeWordPressPackages(context: FakeContext): WordPressPackages {
  const change = <T>(site: SiteRef, work: (wordpress: FakeWordPress) => T): T => {
    const known = existingWordPress(context, site)
    const wordpress = known.management ?? newWordPress(known.adminUser)
    const result = work(wordpress)
    writeSite(context, { ...known, management: wordpress })
    return result
  }
  return {
    stage: async (site, file, { id }) =>
      change(site, (wordpress) => {
        const content = readPackage(file)
        wordpress.staged = { ...wordpress.staged, [id]: content }
        const { type, name, version } = content
        const there = listOf(wordpress, type).find((known) => known.id === idOf(type, name))
        return { type, name, version, installed: there?.version ?? null }
      }),
    discard: async (site, id) =>
      change(site, (wordpress) => {
        if (wordpress.staged) delete wordpress.staged[id]
      }),
    install: async (site, type, source, { operationId, replace = false }) =>
      change(site, (wordpress) => {
        const repeated = repeatedOf(wordpress, operationId)
        if (repeated) return repeated
        const installed = install(wordpress, type, contentOf(wordpress, type, source), replace)
        wordpress.last = { type, id: installed.id, operationId }
        wordpress.kept = [...(wordpress.kept ?? []), `${type} ${installed.id}`]
        return installed
      }),
    restore: async (site, type, folder, { operationId }) =>
      change(site, (wordpress) => {
        const repeated = repeatedOf(wordpress, operationId)
        if (repeated) return repeated
        const id = type === 'theme' ? folder : idOf(type, folder)
        const one = listOf(wordpress, type).find((known) => known.id === id)
        // What every fake site begins with was not installed.
        if (one === undefined || !wordpress.kept?.includes(`${type} ${id}`)) throw noOriginal()
        wordpress.changed = wordpress.changed.filter((path) => !path.startsWith(`wp-content/${type}s/${folder}/`))
        wordpress.last = { type, id, operationId }
        return exchange(wordpress, type, id, one.version)
      }),
    rollBack: async (site, type, id, operationId) =>
      change(site, (wordpress) => {
        const repeated = repeatedOf(wordpress, operationId)
        if (repeated) return repeated
        const one = listOf(wordpress, type).find((known) => known.id === id && known.previous !== null)
        if (!one?.previous) throw nothingKept()
        wordpress.last = { type, id, operationId }
        return exchange(wordpress, type, one.id, one.previous)
      }),
    undo: async (site, operationId) =>
      change(site, (wordpress) => {
        const { last } = wordpress
        if (last?.operationId !== operationId) return
        delete wordpress.last
        const one = listOf(wordpress, last.type).find(({ id }) => id === last.id)
        if (one?.previous) exchange(wordpress, last.type, one.id, one.previous)
        else removeOne(wordpress, last)
      }),
  }
}

/** What the operation did, if it was the last one. */
function repeatedOf(wordpress: FakeWordPress, operationId: string): InstalledPackage | null {
  const { last } = wordpress
  if (last?.operationId !== operationId) return null
  const one = listOf(wordpress, last.type).find(({ id }) => id === last.id)
  return one ? { id: one.id, name: one.name, version: one.version, replaced: one.previous } : null
}

const noOriginal = () =>
  new EngineError('not_found', msg`The original files are not kept.`, {
    nextAction: msg`Update it, or upload its ZIP file again.`,
  })

const nothingKept = () =>
  new EngineError('not_found', msg`No earlier version is kept.`, { nextAction: msg`Refresh the list.` })

const listOf = ({ facts }: FakeWordPress, type: PackageType) => (type === 'plugin' ? facts.plugins : facts.themes)

const idOf = (type: PackageType, name: string) => (type === 'plugin' ? `${name}/${name}.php` : name)

function contentOf(
  { staged }: FakeWordPress,
  type: PackageType,
  source: PackageSource,
): { name: string; version: string } {
  if ('slug' in source) {
    if (source.slug !== 'missing') return { name: source.slug, version: newest }
    throw new EngineError('not_found', msg`wordpress.org has nothing named ${source.slug}.`, {
      nextAction: msg`Check the name: it is the last part of its address there.`,
    })
  }
  const content = staged?.[source.staged]
  if (!content) {
    throw new EngineError('not_found', msg`The uploaded file is no longer there.`, {
      nextAction: msg`Upload it again.`,
    })
  }
  if (content.type === type) return content
  throw new EngineError('invalid', msg`This is a ${content.type}, not a ${type}.`, {
    nextAction: msg`Choose another file.`,
  })
}

function readPackage(file: string): FakePackage {
  const [type, name = '', version = ''] = readFileSync(file, 'utf8').split(' ')
  if (type === 'plugin' || type === 'theme') return { type, name, version }
  throw new EngineError('invalid', msg`This is no ZIP file, or it is damaged.`, {
    nextAction: msg`Choose another file.`,
  })
}

function install(
  wordpress: FakeWordPress,
  type: PackageType,
  { name, version }: { name: string; version: string },
  replace: boolean,
): InstalledPackage {
  const id = idOf(type, name)
  if (listOf(wordpress, type).some((known) => known.id === id)) {
    if (replace) return exchange(wordpress, type, id, version)
    throw new EngineError('conflict', msg`${name} is installed already.`, {
      nextAction: msg`Choose to replace it, or update it.`,
    })
  }
  if (type === 'plugin') wordpress.facts.plugins.push({ ...plugin(id, name), version })
  else wordpress.facts.themes.push({ ...theme(id, false), version })
  return { id, name, version, replaced: null }
}

function exchange(wordpress: FakeWordPress, type: PackageType, id: string, version: string): InstalledPackage {
  const one = listOf(wordpress, type).find((known) => known.id === id)
  if (!one) throw nothingKept()
  const replaced = one.version
  Object.assign(one, { version, previous: replaced, update: null })
  return { id, name: one.name, version, replaced }
}

function removeOne({ facts }: FakeWordPress, { type, id }: { type: PackageType; id: string }): void {
  if (type === 'plugin') facts.plugins = facts.plugins.filter((one) => one.id !== id)
  else facts.themes = facts.themes.filter((one) => one.id !== id)
}
