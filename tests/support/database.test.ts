import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from './database.ts'

test('two test databases do not see one another', async () => {
  const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()])
  try {
    await one.database.pool.query('create table only_here (id int)')
    const seen = await two.database.pool.query("select to_regclass('only_here') as found")
    expect(seen.rows).toEqual([{ found: null }])
  } finally {
    await Promise.all([one.drop(), two.drop()])
  }
})

test('drop removes the database although somebody is connected', async () => {
  const { drop, connectionString } = await createTestDatabase()
  const other = new pg.Client({ connectionString })
  const cut = new Promise((resolve) => other.on('error', resolve))
  await other.connect()
  await drop()
  await cut
  const again = new pg.Client({ connectionString })
  await expect(again.connect()).rejects.toThrow(/does not exist/)
})
