import { describe, expect } from 'vitest'
import type { RowQuery } from '#server/engines/site-database.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import type { DatabaseRows } from '#shared/responses/site-database.ts'
import { needs, type TestedEngine } from './needs.ts'

/** The contract of `Engine.database`, on a running WordPress site and an HTML site. */
export function describeSiteDatabase(under: () => { engine: TestedEngine; wp: SiteRef; html: SiteRef }): void {
  const rows = (query: Omit<RowQuery, 'start'>): Promise<DatabaseRows> =>
    under().engine.database.rows(under().wp, { start: 0, ...query })
  /** Texts of a column, as shown. */
  const texts = ({ columns, rows: found }: DatabaseRows, column: string): (string | null)[] => {
    const index = columns.findIndex(({ name }) => name === column)
    return found.map(({ cells }) => cells[index]?.text ?? null)
  }

  describe('database', () => {
    needs(under, 'database')('lists tables with their size', async () => {
      const { engine, wp } = under()
      const { bytes, tables, omitted } = await engine.database.tables(wp)
      expect(bytes).toBeGreaterThan(0)
      expect(omitted).toBe(0)
      expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['wp_options', 'wp_posts', 'wp_users']))
      const users = tables.find(({ name }) => name === 'wp_users')
      expect(users).toMatchObject({ more: false })
      expect(users?.rows).toBeGreaterThan(0)
      expect(users?.bytes).toBeGreaterThan(0)
    })

    needs(under, 'database')('shows rows, filtered and sorted', async () => {
      const posts = await rows({ table: 'wp_posts', sort: { column: 'post_title', descending: true } })
      expect(posts.columns[0]).toMatchObject({ name: 'ID', key: true, hidden: false })
      expect(posts).toMatchObject({ more: false, last: true, total: posts.rows.length })
      expect(texts(posts, 'post_title')).toContain('Hello world!')
      const titles = texts(posts, 'post_title')
      expect(titles).toEqual(titles.toSorted((a, b) => (String(a) < String(b) ? 1 : -1)))
      const hello = await rows({
        table: 'wp_posts',
        filter: { column: 'post_title', operator: 'starts', value: 'hello' },
      })
      expect(texts(hello, 'post_title')).toEqual(['Hello world!'])
      for (const value of ['%', '_ello', "' OR 1=1 --", '"', '\\'])
        expect(
          (await rows({ table: 'wp_posts', filter: { column: 'post_title', operator: 'contains', value } })).total,
        ).toBe(0)
    })

    needs(under, 'database')('shows a value whole, by its row', async () => {
      const { engine, wp } = under()
      const [found] = (
        await rows({ table: 'wp_options', filter: { column: 'option_name', operator: 'equals', value: 'siteurl' } })
      ).rows
      const query = { table: 'wp_options', column: 'option_value', row: found?.row ?? '', start: 0 }
      expect(await engine.database.cell(wp, query)).toMatchObject({ kind: 'text', next: null })
      for (const row of ['999999999', '1 OR 1=1', ''])
        await expect(engine.database.cell(wp, { ...query, row })).rejects.toMatchObject({ code: 'not_found' })
    })

    needs(under, 'database')('hides secrets, and compares nothing with them', async () => {
      const { engine, wp } = under()
      const users = await rows({ table: 'wp_users' })
      expect(users.columns.find(({ name }) => name === 'user_pass')).toMatchObject({ hidden: true })
      expect(JSON.stringify(users)).not.toContain('$P$')
      const hidden = { code: 'invalid' }
      const filter = { column: 'user_pass', operator: 'starts', value: '$' } as const
      await expect(rows({ table: 'wp_users', filter })).rejects.toMatchObject(hidden)
      const sort = { column: 'user_pass', descending: false }
      await expect(rows({ table: 'wp_users', sort })).rejects.toMatchObject(hidden)
      const query = { table: 'wp_users', column: 'user_pass', row: users.rows[0]?.row ?? '', start: 0 }
      await expect(engine.database.cell(wp, query)).rejects.toMatchObject(hidden)
    })

    needs(under, 'database')('refuses what does not exist, and sites without a database', async () => {
      const { engine, html } = under()
      for (const table of ['nothing', 'wp_users"; DROP TABLE wp_posts; --', 'sqlite_master', ''])
        await expect(rows({ table })).rejects.toMatchObject({ code: 'not_found' })
      for (const column of ['nothing', 'ID" OR 1=1 --', ''])
        await expect(
          rows({ table: 'wp_posts', filter: { column, operator: 'null', value: '' } }),
        ).rejects.toMatchObject({ code: 'not_found' })
      await expect(engine.database.tables(html)).rejects.toMatchObject({ code: 'unsupported' })
    })
  })
}
