import { beforeAll, describe, expect } from 'vitest'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { nobodyStays } from '#server/engines/wordpress-person.ts'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'
import type { WordPressChange } from '#shared/rules/wordpress-changes.ts'
import { can, needs, type TestedEngine } from './needs.ts'

/** The contract of `Engine.wordpress`, on a running WordPress site and an HTML site. */
export function describeWordPress(under: () => { engine: TestedEngine; wp: SiteRef; html: SiteRef }): void {
  describe('WordPress', () => {
    let engine: TestedEngine
    let wp: SiteRef
    let html: SiteRef
    const inspect = () => engine.wordpress.inspect(wp)
    const change = (given: WordPressChange) => engine.wordpress.change(wp, given)
    const users = async () => (await engine.wordpress.users(wp, { search: '', page: 0 })).rows
    const plugin = async (id: string) => (await inspect()).plugins.find((one) => one.id === id)

    beforeAll(async () => {
      ;({ engine, wp, html } = under())
      // Of the tests before, whose people are administrators.
      if (can(engine, 'login_link')) await engine.syncUsers(wp, nobodyStays('boss'))
    })

    needs(under, 'wordpress')('reads what is installed', async () => {
      const facts = await inspect()
      expect(facts).toMatchObject({ broken: null, multisite: false })
      expect(facts.version).toMatch(/^\d+\.\d+/)
      expect(facts.plugins).toContainEqual(
        expect.objectContaining({ id: 'hello.php', kind: 'plugin', active: false, managed: false }),
      )
      expect(facts.themes.filter(({ active }) => active)).toHaveLength(1)
      expect(facts.counts).toMatchObject({ user: expect.any(Number), post: expect.any(Number) })
      expect(facts.roles).toHaveProperty('administrator')
    })

    needs(under, 'wordpress')('lists the same plugins alone', async () => {
      await change({ kind: 'activate_plugin', plugin: 'hello.php' })
      await change({ kind: 'set_plugin_auto_update', plugin: 'hello.php', enabled: true })
      expect(await engine.wordpress.plugins(wp)).toEqual((await inspect()).plugins)
      await change({ kind: 'set_plugin_auto_update', plugin: 'hello.php', enabled: false })
      await change({ kind: 'deactivate_plugin', plugin: 'hello.php' })
      await expect(engine.wordpress.plugins(html)).rejects.toMatchObject({ code: 'unsupported' })
    })

    needs(under, 'wordpress')('activates and deactivates a plugin; doing it again is no error', async () => {
      for (const active of [true, true, false, false]) {
        await change({ kind: active ? 'activate_plugin' : 'deactivate_plugin', plugin: 'hello.php' })
        expect(await plugin('hello.php')).toMatchObject({ active })
      }
    })

    needs(under, 'wordpress')('switches automatic updates of a plugin', async () => {
      await change({ kind: 'set_plugin_auto_update', plugin: 'hello.php', enabled: true })
      expect(await plugin('hello.php')).toMatchObject({ auto_update: true })
      await change({ kind: 'set_plugin_auto_update', plugin: 'hello.php', enabled: false })
      expect(await plugin('hello.php')).toMatchObject({ auto_update: false })
    })

    needs(under, 'wordpress')('says that a plugin or theme does not exist', async () => {
      const absent: WordPressChange[] = [
        { kind: 'activate_plugin', plugin: 'nothing/nothing.php' },
        { kind: 'set_theme_auto_update', theme: 'nothing', enabled: true },
        { kind: 'activate_theme', theme: 'nothing' },
      ]
      for (const one of absent) await expect(change(one)).rejects.toMatchObject({ code: 'not_found' })
    })

    needs(under, 'wordpress')(
      'puts back what was active before an operation, whatever else changed meanwhile',
      async () => {
        const active = async () => {
          const { plugins, themes } = await engine.wordpress.inspect(wp)
          return [...plugins, ...themes].flatMap((one) =>
            one.active && !('managed' in one && one.managed) ? [one.id] : [],
          )
        }
        const theme = { kind: 'activate_theme', theme: 'twentytwentythree' } as const
        const plugin = { kind: 'activate_plugin', plugin: 'hello.php' } as const
        const before = await active()
        await engine.wordpress.undo(wp, 'op-none')
        await engine.wordpress.change(wp, theme, { operationId: 'op-one' })
        await engine.wordpress.change(wp, theme, { operationId: 'op-one' })
        await engine.wordpress.undo(wp, 'op-other')
        expect(await active()).not.toEqual(before)
        await engine.wordpress.undo(wp, 'op-one')
        await engine.wordpress.undo(wp, 'op-one')
        expect(await active()).toEqual(before)
        // What was active already stays active.
        await engine.wordpress.change(wp, plugin)
        await engine.wordpress.change(wp, plugin, { operationId: 'op-two' })
        await engine.wordpress.undo(wp, 'op-two')
        expect(await active()).toContain('hello.php')
        await engine.wordpress.change(wp, { kind: 'deactivate_plugin', plugin: 'hello.php' })
        expect(await active()).toEqual(before)
      },
    )

    needs(under, 'wordpress')('puts back what an operation deleted', async () => {
      const { plugins, themes } = await inspect()
      const theme = themes.find(({ in_use }) => !in_use)?.id ?? ''
      const lists = async () => {
        const facts = await inspect()
        return { plugins: facts.plugins, themes: facts.themes }
      }
      for (const gone of [
        { kind: 'delete_plugin', plugin: 'hello.php' },
        { kind: 'delete_theme', theme },
      ] as const) {
        const operationId = `op-${gone.kind}`
        await engine.wordpress.change(wp, gone, { operationId })
        await engine.wordpress.change(wp, gone, { operationId })
        expect(await lists()).not.toEqual({ plugins, themes })
        await engine.wordpress.undo(wp, 'op-other')
        expect(await lists()).not.toEqual({ plugins, themes })
        await engine.wordpress.undo(wp, operationId)
        await engine.wordpress.undo(wp, operationId)
        expect(await lists()).toEqual({ plugins, themes })
      }
    })

    needs(under, 'wordpress')('switches the theme and back, and does not delete the active one', async () => {
      const { themes } = await inspect()
      const before = themes.find(({ active }) => active)?.id ?? ''
      const other = themes.find(({ in_use }) => !in_use)?.id ?? ''
      await change({ kind: 'activate_theme', theme: other })
      expect((await inspect()).themes.find(({ active }) => active)?.id).toBe(other)
      await expect(change({ kind: 'delete_theme', theme: other })).rejects.toMatchObject({ code: 'conflict' })
      await change({ kind: 'activate_theme', theme: before })
      await engine.wordpress.change(wp, { kind: 'delete_theme', theme: other }, { operationId: 'op-finished' })
      await engine.wordpress.finish(wp, 'op-finished')
      await engine.wordpress.finish(wp, 'op-finished')
      // Nothing is kept of it.
      await engine.wordpress.undo(wp, 'op-finished')
      expect((await inspect()).themes.map(({ id }) => id)).not.toContain(other)
    })

    needs(under, 'wordpress')('adds, changes and deletes users, and keeps an administrator', async () => {
      const user = { login: 'nora.berg', email: 'nora@example.com', role: 'editor' }
      await change({ kind: 'add_user', ...user })
      expect(await users()).toContainEqual(
        expect.objectContaining({ login: user.login, email: user.email, roles: ['editor'] }),
      )
      await expect(change({ kind: 'add_user', ...user })).rejects.toMatchObject({ code: 'invalid' })
      await change({ kind: 'set_role', login: user.login, role: 'subscriber' })
      const found = await engine.wordpress.users(wp, { search: 'NORA', page: 0 })
      expect(found).toMatchObject({ total: 1, rows: [{ roles: ['subscriber'] }] })
      await expect(change({ kind: 'set_role', login: 'boss', role: 'editor' })).rejects.toMatchObject({
        code: 'conflict',
      })
      await expect(change({ kind: 'delete_user', login: 'boss', reassign_to: user.login })).rejects.toMatchObject({
        code: 'conflict',
      })
      await change({ kind: 'delete_user', login: user.login, reassign_to: 'boss' })
      expect((await users()).map(({ login }) => login)).not.toContain(user.login)
    })

    needs(under, 'wordpress')(
      'renames a user, who keeps role and content, and takes no name that is in use',
      async () => {
        await change({ kind: 'add_user', login: 'old-name', email: 'old@example.com', role: 'author' })
        await change({ kind: 'rename_user', login: 'old-name', to: 'new-name' })
        const renamed = expect.objectContaining({ login: 'new-name', email: 'old@example.com', roles: ['author'] })
        expect(await users()).toContainEqual(renamed)
        expect((await users()).map(({ login }) => login)).not.toContain('old-name')
        await change({ kind: 'rename_user', login: 'old-name', to: 'new-name' })
        await expect(change({ kind: 'rename_user', login: 'new-name', to: 'boss' })).rejects.toMatchObject({
          code: 'invalid',
        })
        await expect(change({ kind: 'rename_user', login: 'nobody', to: 'no-one' })).rejects.toMatchObject({
          code: 'not_found',
        })
        expect(await users()).toContainEqual(renamed)
        await change({ kind: 'delete_user', login: 'new-name', reassign_to: 'boss' })
      },
    )

    needs(under, 'wordpress')('sets passwords of users that exist', async () => {
      await engine.wordpress.setPassword(wp, 'boss', 'a password of 24 letters')
      await expect(engine.wordpress.setPassword(wp, 'nobody', 'a password')).rejects.toMatchObject({
        code: 'not_found',
      })
    })

    needs(
      under,
      'wordpress',
      'login_link',
    )('signs a person in as a user of the site, once, and never as one above them', async () => {
      await change({ kind: 'add_user', login: 'nora', email: 'nora@example.com', role: 'editor' })
      const person = wordpressPerson()
      const use = async (link: string) => {
        const { pathname, search } = new URL(link)
        const { headers } = await engine.request(wp, pathname + search)
        return /[a-z]+_[^=;, ]*=(nora|boss|ada-berg)\b/.exec(headers['set-cookie'] ?? '')?.[1]
      }
      const link = await engine.wordpress.loginAs(wp, person, 'nora', 30)
      expect(await use(link)).toBe('nora')
      expect(await use(link)).toBeUndefined()
      expect(
        (await users()).map(({ login }) => login),
        'makes no user of their own',
      ).not.toContain('ada-berg')

      const editor = wordpressPerson('other', { role: 'editor' })
      expect(await use(await engine.wordpress.loginAs(wp, editor, 'nora', 30))).toBe('nora')
      await expect(engine.wordpress.loginAs(wp, editor, 'boss', 30)).rejects.toMatchObject({ code: 'conflict' })
      await expect(engine.wordpress.loginAs(wp, person, 'nobody', 30)).rejects.toMatchObject({ code: 'not_found' })
      expect(await use(await engine.loginLink(wp, person, 30))).toBe('ada-berg')
      await expect(engine.wordpress.loginAs(wp, editor, 'ada-berg', 30)).rejects.toMatchObject({ code: 'conflict' })

      const unused = await engine.wordpress.loginAs(wp, person, 'nora', 30)
      await engine.syncUsers(wp, nobodyStays('boss'))
      expect(await use(unused)).toBeUndefined()
      await change({ kind: 'delete_user', login: 'nora', reassign_to: 'boss' })
    })

    needs(
      under,
      'wordpress',
      'cron',
    )('runs one scheduled event, and pauses all', async () => {
      const { rows } = (await inspect()).events
      const id = rows.find(({ hook }) => hook === 'wp_version_check')?.id ?? ''
      expect(await change({ kind: 'run_event', id })).toEqual({ ran: 1 })
      const gone = `1|${'0'.repeat(32)}|nothing`
      await expect(change({ kind: 'run_event', id: gone })).rejects.toMatchObject({ code: 'not_found' })
      await change({ kind: 'pause_events', paused: true })
      expect((await inspect()).events.paused).toBe(true)
      await change({ kind: 'pause_events', paused: false })
      expect((await inspect()).events.paused).toBe(false)
    })

    needs(
      under,
      'wordpress',
      'checksums',
    )('compares the files of WordPress with the pristine package', async () => {
      const report = await engine.wordpress.verifyChecksums(wp)
      expect(report).toMatchObject({ changed: [], added: [], missing: [], truncated: false })
      expect(report.checked).toBeGreaterThan(1_000)
      expect(report.version).toBe((await inspect()).version)
    })

    needs(under, 'wordpress')('has nothing of it on a site without WordPress', async () => {
      const calls = [
        () => engine.wordpress.inspect(html),
        () => engine.wordpress.users(html, { search: '', page: 0 }),
        () => engine.wordpress.change(html, { kind: 'flush_cache' }),
        () => engine.wordpress.setPassword(html, 'boss', 'a password'),
      ]
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'unsupported' })
    })

    needs(under, 'login_link')('signs nobody in to a site without WordPress', async () => {
      await expect(engine.wordpress.loginAs(html, wordpressPerson(), 'boss', 30)).rejects.toMatchObject({
        code: 'unsupported',
      })
    })

    needs(under, 'checksums')('has no checksums of a site without WordPress', async () => {
      await expect(engine.wordpress.verifyChecksums(html)).rejects.toMatchObject({ code: 'unsupported' })
    })
  })
}
