import { writeFile } from 'node:fs/promises'
import { beforeAll, describe, expect } from 'vitest'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { needs, type TestedEngine } from './needs.ts'

/** The contract of `Engine.packages`, on a running WordPress site and an HTML site; `makeFile` makes a ZIP file with the plugin `tool`. */
export function describeWordPressPackages(
  under: () => { engine: TestedEngine; wp: SiteRef; html: SiteRef },
  makeFile: (version: string) => Promise<string>,
): void {
  describe('packages of WordPress', () => {
    let engine: TestedEngine
    let wp: SiteRef
    let html: SiteRef
    const tool = async () => (await engine.wordpress.inspect(wp)).plugins.find(({ id }) => id === 'tool/tool.php')
    const stage = async (version: string, id: string) => engine.packages.stage(wp, await makeFile(version), { id })
    const install = async (version: string, operationId: string, replace = false) => {
      await stage(version, operationId)
      return engine.packages.install(wp, 'plugin', { staged: operationId }, { operationId, replace })
    }

    beforeAll(() => {
      ;({ engine, wp, html } = under())
    })

    needs(under, 'wordpress')('installs, replaces, rolls back and undoes', async () => {
      expect(await install('1.0', 'a')).toMatchObject({ id: 'tool/tool.php', version: '1.0', replaced: null })
      expect(await tool()).toMatchObject({ active: false, previous: null })
      await expect(install('2.0', 'b')).rejects.toMatchObject({ code: 'conflict' })
      for (const _time of ['once', 'repeated'])
        expect(await install('2.0', 'c', true)).toMatchObject({ version: '2.0', replaced: '1.0' })
      expect(await tool()).toMatchObject({ version: '2.0', previous: '1.0' })
      await engine.packages.undo(wp, 'b')
      expect(await tool(), 'operation b changed nothing').toMatchObject({ version: '2.0' })
      for (const time of ['once', 'repeated']) {
        await engine.packages.undo(wp, 'c')
        expect(await tool(), time).toMatchObject({ version: '1.0', previous: '2.0' })
      }
      expect(await install('2.0', 'c', true), 'the retry of an undone operation').toMatchObject({ version: '2.0' })
      await engine.packages.undo(wp, 'c')
      expect(await tool()).toMatchObject({ version: '1.0', previous: '2.0' })
      for (const _time of ['once', 'repeated'])
        expect(await engine.packages.rollBack(wp, 'plugin', 'tool/tool.php', 'd')).toMatchObject({ version: '2.0' })
    })

    needs(
      under,
      'wordpress',
      'checksums',
    )('puts the original files of an installed version back if it says so, and those of no other', async () => {
      const about = async () => (await engine.originals.verifyPackages(wp)).find(({ id }) => id === 'tool')
      if ((await about())?.restorable !== true) {
        await expect(engine.packages.restore(wp, 'plugin', 'tool', { operationId: 'originals' })).rejects.toMatchObject(
          { code: 'not_found' },
        )
        return
      }
      const restored = engine.packages.restore(wp, 'plugin', 'tool', { operationId: 'originals' })
      expect(await restored).toMatchObject({ id: 'tool/tool.php', version: '2.0' })
      expect(await about()).toMatchObject({ changed: [], added: [], missing: [], restorable: true })
      for (const folder of ['hello.php', 'none'])
        await expect(
          engine.packages.restore(wp, 'plugin', folder, { operationId: 'no-originals' }),
        ).rejects.toMatchObject({ code: 'not_found' })
    })

    needs(under, 'wordpress')(
      'says what a file contains and which version the site has, and installs nothing of it',
      async () => {
        expect(await stage('3.0', 'one')).toEqual({ type: 'plugin', name: 'tool', version: '3.0', installed: '2.0' })
        expect(await stage('4.0', 'two')).toMatchObject({ version: '4.0' })
        expect(await tool()).toMatchObject({ version: '2.0' })
        for (const _time of ['once', 'repeated']) await engine.packages.discard(wp, 'one')
        await expect(
          engine.packages.install(wp, 'plugin', { staged: 'one' }, { operationId: 'gone', replace: true }),
        ).rejects.toMatchObject({ code: 'not_found' })
        expect(
          await engine.packages.install(wp, 'plugin', { staged: 'two' }, { operationId: 'two', replace: true }),
        ).toMatchObject({ version: '4.0', replaced: '2.0' })
      },
    )

    needs(under, 'wordpress')('refuses a plugin as a theme, what is no package, and what is not kept', async () => {
      await stage('1.0', 'e')
      await expect(engine.packages.install(wp, 'theme', { staged: 'e' }, { operationId: 'e' })).rejects.toMatchObject({
        code: 'invalid',
      })
      const text = `${await makeFile('0.1')}.txt`
      await writeFile(text, 'No package at all, but long enough.')
      await expect(engine.packages.stage(wp, text, { id: 'text' })).rejects.toMatchObject({ code: 'invalid' })
      await expect(engine.packages.rollBack(wp, 'plugin', 'hello.php', 'f')).rejects.toMatchObject({
        code: 'not_found',
      })
    })

    needs(
      under,
      'wordpress',
      'test_directory',
    )('installs a plugin by its name on wordpress.org, and says if there is none', async () => {
      const offered = async () => (await engine.wordpress.plugins(wp)).find(({ name }) => name === 'offered')
      const byName = (slug: string, operationId: string) =>
        engine.packages.install(wp, 'plugin', { slug }, { operationId })
      await expect(byName('missing', 'by-name-0')).rejects.toMatchObject({ code: 'not_found' })
      for (const _time of ['once', 'repeated'])
        expect(await byName('offered', 'by-name-1')).toMatchObject({
          ...{ id: 'offered/offered.php', version: '2.0', replaced: null },
        })
      expect(await offered()).toMatchObject({ id: 'offered/offered.php', version: '2.0', active: false })
      await engine.packages.undo(wp, 'by-name-1')
      expect(await offered()).toBeUndefined()
    })

    needs(under, 'wordpress')('has none of it on a site without WordPress', async () => {
      const file = await makeFile('1.0')
      await expect(engine.packages.stage(html, file, { id: 'g' })).rejects.toMatchObject({ code: 'unsupported' })
      await expect(
        engine.packages.install(html, 'plugin', { slug: 'tool' }, { operationId: 'g' }),
      ).rejects.toMatchObject({ code: 'unsupported' })
    })
  })
}
