/** Large data: the largest possible lists, and changes as large as the log accepts. */
import type pg from 'pg'
import { send, type Attack, type Target } from './attack.ts'

const json = { 'content-type': 'application/json' }
const listPath = (action: string) =>
  `/api/resource/Activity?${new URLSearchParams({
    fields: '["*"]',
    filters: JSON.stringify([['action', '=', action]]),
    limit_page_length: '500',
  }).toString()}`

/** Adds log entries to `bench`, each with this many bytes. */
function addEntries(action: string, count: number, bytes: number): (database: pg.ClientBase) => Promise<void> {
  return async (database) => {
    await database.query(
      `insert into tab_activity (name, owner, creation, modified, modified_by, organization, action, result, after)
       select left(md5($1 || n), 10), 'x', now() - make_interval(secs => n), now(), 'x', 'bench', $1, 'Done',
         jsonb_build_object('text', (select string_agg(md5(n::text || k::text), '') from generate_series(1, $3::int / 32) k))
       from generate_series(1, $2::int) n`,
      [action, count, bytes],
    )
  }
}

/** Sends this many parallel requests, and the next ones when all have a response. */
async function sendInBatches(target: Target, count: number, path: string): Promise<void> {
  while (!target.signal.aborted)
    await Promise.all(
      Array.from({ length: count }, () => send(target, { path, method: 'GET', headers: { ...target.owner } })),
    )
}

async function saveLargeView(target: Target, atOnce: number): Promise<void> {
  const headers = { ...json, ...target.owner }
  const filters = (text: string) =>
    Array.from({ length: 45 }, (_, n) => ['domain', '!=', `${text} ${n} `.padEnd(330, 'x')])
  const view = (n: number) =>
    JSON.stringify({
      organization: 'bench',
      title: `View ${n}`,
      reference_doctype: 'Site',
      filters: filters(`all ${n}`),
      any_filters: [],
    })
  let made = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (!target.signal.aborted) {
        made += 1
        await send(target, { path: '/api/resource/Saved%20View', headers, body: view(made) })
        // A user can keep fifty views; preferences can be changed any number of times.
        const preferences = { n: made, text: `${made} `.padEnd(60_000, 'p') }
        await send(target, {
          path: '/api/resource/User%20Meta/owner%40bench.example',
          method: 'PUT',
          headers,
          body: JSON.stringify({ preferences }),
        })
      }
    }),
  )
}

/** All data attacks. */
export const dataAttacks: readonly Attack[] = [
  {
    name: '24 parallel large lists',
    // The current maximum per entry: 500 of them are a response of 3.6 MB.
    prepare: addEntries('bench.large', 500, 6800),
    run: (target) => sendInBatches(target, 24, listPath('bench.large')),
  },
  {
    name: '24 parallel lists that are too large',
    // As large as entries could be before they were limited: 150 MB in total.
    prepare: addEntries('bench.larger', 500, 300_000),
    run: (target) => sendInBatches(target, 24, listPath('bench.larger')),
  },
  { name: 'large activity', run: (target) => saveLargeView(target, 8) },
]
