/** Searches everything a product left behind for the markers of `leak-markers.ts`. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { silentLog } from '#server/platform/log/log.ts'
import { startPostgres } from '#server/platform/postgres/postgres.ts'
import { silentStep } from '#server/platform/steps.ts'
import type { Product } from './harness.ts'
import { leakMarkers } from './leak-markers.ts'
import type { Recording } from './recording.ts'

/** Where something was found. */
export interface SearchedLocation {
  where: string
  bytes: Buffer
}

/** Names of the markers found, each with its location. */
export function leaks(locations: readonly SearchedLocation[]): string[] {
  const needles = leakMarkers().map(({ name, text }) => ({ name, bytes: Buffer.from(text, 'latin1') }))
  return locations.flatMap(({ where, bytes }) =>
    needles.filter((needle) => bytes.includes(needle.bytes)).map(({ name }) => `${name} in ${where}`),
  )
}

/** What a running product prints, responds and stores. */
export async function collectLocations(product: Product, recording: Recording) {
  await recording.settled()
  return {
    terminal: { where: 'the terminal', bytes: Buffer.from(product.output()) },
    responses: recording
      .responses()
      .map(({ url, text }) => ({ where: `the response of ${url}`, bytes: Buffer.from(text) })),
    rows: await databaseRows(product),
    files: await filesOf(product.dataDir),
  }
}

/** @throws Error that names each leak of the stories that ran on this product */
export async function assertNoLeaks(product: Product, recording: Recording): Promise<void> {
  const { terminal, responses, rows, files } = await collectLocations(product, recording)
  const found = leaks([terminal, ...responses, ...rows, ...files])
  if (found.length > 0) throw new Error(`Secrets leaked:\n${found.join('\n')}`)
}

/** Every row of every table, as text, through its own connection. */
async function databaseRows(product: Product): Promise<SearchedLocation[]> {
  const postgres = await startPostgres({ dataDir: product.dataDir, log: silentLog, step: silentStep })
  const client = new pg.Client(postgres.connection)
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const found: SearchedLocation[] = []
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string | null }>(
        `select string_agg(t::text, E'\\n') as text from ${name} t`,
      )
      found.push({ where: `the table ${name}`, bytes: Buffer.from(rows[0]?.text ?? '') })
    }
    return found
  } finally {
    await client.end()
    await postgres.stop()
  }
}

/** Every file of a folder. Content of files the database rewrites or removes meanwhile is in its rows; folders may go meanwhile. */
async function filesOf(folder: string): Promise<SearchedLocation[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const found = entries.map(async (entry): Promise<SearchedLocation[]> => {
    const where = join(folder, entry.name)
    if (entry.isDirectory()) return filesOf(where)
    const bytes = entry.isFile() ? await readFile(where).catch(() => null) : null
    return bytes === null ? [] : [{ where, bytes }]
  })
  return (await Promise.all(found)).flat()
}
