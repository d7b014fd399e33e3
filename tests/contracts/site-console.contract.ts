import { EngineError } from '#server/engines/engine.ts'
import { describe, expect } from 'vitest'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { needs, type TestedEngine } from './needs.ts'

/** The contract of SQL statements and of `Engine.console`, on a running WordPress site and an HTML site. */
export function describeSiteConsole(under: () => { engine: TestedEngine; wp: SiteRef; html: SiteRef }): void {
  const names = async (): Promise<unknown[]> => {
    const { engine, wp } = under()
    const result = await engine.database.query(
      wp,
      "SELECT option_value AS `the value`, NULL AS no_value FROM wp_options WHERE option_name = 'blogname'",
    )
    expect(result?.columns).toEqual(['the value', 'no_value'])
    return result?.rows.map(([cell, nothing]) => [cell?.text, nothing]) ?? []
  }

  describe('SQL', () => {
    needs(under, 'sql_console')('reads, and reports a statement that writes without running it', async () => {
      const { engine, wp } = under()
      const before = await names()
      for (const sql of [
        "UPDATE wp_options SET option_value = 'x' WHERE option_name = 'blogname'",
        'DELETE FROM wp_options',
        'DROP TABLE wp_options',
        'CREATE TABLE other (id INTEGER)',
        "INSERT INTO wp_options (option_name, option_value) VALUES ('a', 'b')",
      ])
        expect(await engine.database.query(wp, sql)).toBeNull()
      expect(await names()).toEqual(before)
    })

    needs(under, 'sql_console')('refuses what is no statement', async () => {
      const { engine, wp, html } = under()
      for (const sql of ['SELEC 1', 'SELECT * FROM nothing', ''])
        await expect(engine.database.query(wp, sql)).rejects.toMatchObject({ code: 'invalid' })
      await expect(engine.database.write(wp, 'UPDATE nothing SET a = 1')).rejects.toMatchObject({ code: 'invalid' })
      await expect(engine.database.query(html, 'SELECT 1')).rejects.toMatchObject({ code: 'unsupported' })
    })

    needs(under, 'sql_console')('writes, and puts the state before back, in both directions', async () => {
      const { engine, wp } = under()
      const before = await names()
      const written = await engine.database.write(
        wp,
        "UPDATE wp_options SET option_value = 'It''s written' WHERE option_name = 'blogname'",
      )
      expect(written).toMatchObject({ affected: 1, rows: [] })
      const after = await names()
      expect(after).toEqual([["It's written", null]])
      // Scheduled events may write meanwhile.
      const { undo } = await engine.database.undo(wp, written.undo ?? '', true)
      expect(await names()).toEqual(before)
      const again = await engine.database.undo(wp, undo, true)
      expect(await names()).toEqual(after)
      // Who asks twice is refused, or told the same: an answer can get lost.
      const twice = await engine.database.undo(wp, undo, true).catch((error: unknown) => error)
      if (twice instanceof EngineError) expect(twice.code).toBe('not_found')
      else expect(twice).toEqual(again)
      expect(await names()).toEqual(after)
      await engine.database.undo(wp, again.undo, true)
      expect(await names()).toEqual(before)
    })
  })

  describe('PHP console', () => {
    needs(under, 'php_console')('returns what the code prints and returns', async () => {
      const { engine, wp } = under()
      const result = await engine.console.runPhp(wp, "echo 'printed';\nreturn 'returned';", { safe: false })
      expect(result).toMatchObject({ output: 'printed', value: 'returned', error: null, cut: false })
      expect(await engine.console.runPhp(wp, "echo '';", { safe: true })).toMatchObject({
        output: '',
        value: null,
        error: null,
      })
    })

    needs(under, 'php_console')('says what ended the code, and where', async () => {
      const { engine, wp, html } = under()
      const code = "echo 'before';\nthrow new Exception('no <b>');"
      expect(await engine.console.runPhp(wp, code, { safe: false })).toMatchObject({
        output: 'before',
        error: { message: 'Exception: no <b>', file: '', line: 2 },
      })
      const broken = await engine.console.runPhp(wp, 'this is no PHP', { safe: false })
      expect(broken.error?.message).toContain('ParseError')
      await expect(engine.console.runPhp(html, "echo 'a';", { safe: false })).rejects.toMatchObject({
        code: 'unsupported',
      })
    })
  })

  describe('WP-CLI console', () => {
    needs(under, 'wp_cli')('runs a command word by word, and returns what it printed and how it ended', async () => {
      const { engine, wp, html } = under()
      const read = await engine.commands.runWp(wp, ['option', 'get', 'blogname'], {})
      expect(read).toMatchObject({ output: expect.stringMatching(/^\S.*\n$/), code: 0, cut: false })
      const refused = await engine.commands.runWp(wp, ['option', 'get', "none'; echo injected; $(id)"], {})
      expect(refused.code).toBeGreaterThan(0)
      expect(refused.output).toMatch(/^Error: /)
      expect(refused.output).not.toMatch(/^injected|uid=/m)
      await expect(engine.commands.runWp(html, ['option', 'get', 'blogname'], {})).rejects.toMatchObject({
        code: 'unsupported',
      })
    })
  })
}
