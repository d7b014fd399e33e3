import type { ActingEntryPoint, CreatingEntryPoint, EntryPoint } from './entry-point.ts'
import type { Letter } from './notation.ts'
import { counted, granted, listed, outcomeOf, type Outcome } from './outcomes.ts'
import { storeActing, storeCreating, storeEntryPoints } from './store-entry-points.ts'
import type { Person } from './people.ts'
import { call, fileContent, send, type TestContext } from './test-context.ts'

/** Parameters that clients may send to bypass permissions; they must have no effect. */
export const bypassParams = {
  ignore_permissions: 1,
  ignore_user_permissions: 1,
  ignore_links: 1,
  flags: { ignore_permissions: true },
} as const

const resource = (doctype: string, name?: string) =>
  `/api/resource/${encodeURIComponent(doctype)}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`
const method = (name: string) => `/api/method/${name}`

/** A list request that would return the document. */
const finding = (doctype: string, name: string) => ({
  doctype,
  filters: [['name', '=', name]],
  fields: ['name'],
  ...bypassParams,
})

/** The outcome of the only query of a batch: null if it was refused, else a number or rows. */
async function ofBatch(w: TestContext, p: Person, name: string, query: object): Promise<Outcome> {
  const response = await call(w, p, 'POST', method(`easydash.api.documents.${name}`), { queries: [query] })
  if (response.status !== 200) return outcomeOf(response)
  const [result] = response.body['message'] as (number | unknown[] | null)[]
  if (result === null || result === undefined) return 'refused'
  return (Array.isArray(result) ? result.length : result) === 0 ? 'hidden' : 'shown'
}

const reading: readonly EntryPoint[] = (
  [
    ['resource', async (w, p, d, n) => outcomeOf(await call(w, p, 'GET', resource(d, n), bypassParams))],
    [
      'client.get',
      async (w, p, d, n) =>
        outcomeOf(await call(w, p, 'GET', method('frappe.client.get'), { doctype: d, name: n, ...bypassParams })),
    ],
    [
      'client.get by filters',
      async (w, p, d, n) => {
        const response = await call(w, p, 'POST', method('frappe.client.get'), {
          doctype: d,
          filters: { name: n },
          ...bypassParams,
        })
        // Found through a list: a document that isn't in it is missing, whatever the reason.
        return response.status === 404 ? 'hidden' : response.status === 200 ? 'shown' : outcomeOf(response)
      },
    ],
    [
      'resource list',
      async (w, p, d, n) => {
        const { doctype: _doctype, ...query } = finding(d, n)
        return listed(await call(w, p, 'GET', resource(d), query), n)
      },
    ],
    [
      'client.get_list',
      async (w, p, d, n) => listed(await call(w, p, 'POST', method('frappe.client.get_list'), finding(d, n)), n),
    ],
    [
      'reportview.get',
      async (w, p, d, n) => listed(await call(w, p, 'POST', method('frappe.desk.reportview.get'), finding(d, n)), n),
    ],
    [
      'reportview.get_list',
      async (w, p, d, n) =>
        listed(await call(w, p, 'POST', method('frappe.desk.reportview.get_list'), finding(d, n)), n),
    ],
    [
      'client.get_count',
      async (w, p, d, n) => counted(await call(w, p, 'GET', method('frappe.client.get_count'), finding(d, n))),
    ],
    [
      'reportview.get_count',
      async (w, p, d, n) =>
        counted(await call(w, p, 'POST', method('frappe.desk.reportview.get_count'), finding(d, n))),
    ],
    ['documents.get_lists', (w, p, d, n) => ofBatch(w, p, 'get_lists', finding(d, n))],
    ['documents.get_counts', (w, p, d, n) => ofBatch(w, p, 'get_counts', finding(d, n))],
    [
      'client.get_value',
      async (w, p, d, n) =>
        listed(
          await call(w, p, 'GET', method('frappe.client.get_value'), {
            doctype: d,
            fieldname: 'name',
            filters: n,
            ...bypassParams,
          }),
          n,
        ),
    ],
    [
      'validate_link',
      async (w, p, d, n) =>
        listed(
          await call(w, p, 'GET', method('frappe.client.validate_link'), { doctype: d, docname: n, ...bypassParams }),
          n,
        ),
    ],
    [
      'search_link',
      async (w, p, d, n) =>
        listed(
          await call(w, p, 'POST', method('frappe.desk.search.search_link'), {
            doctype: d,
            txt: n,
            page_length: 50,
            ...bypassParams,
          }),
          n,
        ),
    ],
    [
      'or_filters',
      async (w, p, d, n) =>
        listed(
          await call(w, p, 'POST', method('frappe.client.get_list'), {
            doctype: d,
            or_filters: [
              ['name', '=', n],
              ['name', 'in', ['nothing', n]],
              ['creation', '<', '2000-01-01'],
            ],
            fields: ['name'],
          }),
          n,
        ),
    ],
    [
      'has_permission',
      async (w, p, d, n) => {
        const response = await call(w, p, 'GET', method('frappe.client.has_permission'), {
          doctype: d,
          docname: n,
          perm_type: 'read',
        })
        return granted(
          response,
          (response.body['message'] as { has_permission?: boolean } | undefined)?.has_permission === true,
        )
      },
    ],
    [
      'run_doc_method',
      async (w, p, d, n) => {
        // Calls a method that doesn't exist: denied if the document is readable, missing if it isn't visible.
        const response = await call(w, p, 'POST', method('run_doc_method'), {
          docs: { doctype: d, name: n },
          method: 'no_such_method',
        })
        return response.status === 403 && response.text.includes('no method') ? 'passed' : outcomeOf(response)
      },
    ],
  ] as const satisfies readonly [string, EntryPoint['run']][]
).map(([name, run]) => ({ name, letter: 'R', run }))

const permission = (letter: Letter, bit: string): EntryPoint => ({
  name: `get_doc_permissions ${bit}`,
  letter,
  async run(w, p, d, n) {
    const response = await call(w, p, 'GET', method('frappe.client.get_doc_permissions'), { doctype: d, docname: n })
    const bits = (response.body['message'] as { permissions?: Record<string, number> } | undefined)?.permissions
    return granted(response, bits?.[bit] === 1)
  },
})

/** The product's explanation of a permission must match its behavior. */
const explained = (letter: Letter, operation: string): EntryPoint => ({
  name: `explain_permission ${operation}`,
  letter,
  async run(w, p, d, n) {
    const response = await call(w, p, 'GET', method('explain_permission'), { doctype: d, name: n, operation })
    const { allowed, text } = (response.body['message'] ?? {}) as { allowed?: boolean; text?: string }
    if (text?.includes('{') || text?.includes('undefined')) return `unexpected ${text}`
    return granted(response, allowed === true)
  },
})

const writing: readonly EntryPoint[] = (
  [
    [
      'resource PUT',
      async (w, p, d, n, probe) => outcomeOf(await call(w, p, 'PUT', resource(d, n), { ...probe, ...bypassParams })),
    ],
    [
      'client.set_value',
      async (w, p, d, n, probe) =>
        outcomeOf(
          await call(w, p, 'POST', method('frappe.client.set_value'), {
            doctype: d,
            name: n,
            fieldname: probe,
            ...bypassParams,
          }),
        ),
    ],
    [
      'client.save',
      async (w, p, d, n, probe) =>
        outcomeOf(
          await call(w, p, 'POST', method('frappe.client.save'), {
            doc: { doctype: d, name: n, ...probe, ...bypassParams },
          }),
        ),
    ],
    [
      'client.bulk_update',
      async (w, p, d, n, probe) => {
        const response = await call(w, p, 'POST', method('frappe.client.bulk_update'), {
          docs: [{ doctype: d, docname: n, ...probe, ...bypassParams }],
        })
        if (response.status !== 200) return outcomeOf(response)
        const failed = (response.body['message'] as { failed_docs: { exc: string }[] }).failed_docs[0]
        if (!failed) return 'passed'
        if (
          /Insufficient Permission|^You (?:cannot|do not have)|^The owner|lacks the scope|^API tokens (?:cannot|can’t)/.test(
            failed.exc,
          )
        )
          return 'refused'
        return failed.exc.endsWith('not found') ? 'missing' : 'passed'
      },
    ],
  ] as const satisfies readonly [string, EntryPoint['run']][]
).map(([name, run]) => ({ name, letter: 'W', run }))

const deleting: readonly EntryPoint[] = (
  [
    ['resource DELETE', async (w, p, d, n) => outcomeOf(await call(w, p, 'DELETE', resource(d, n), bypassParams))],
    [
      'client.delete',
      async (w, p, d, n) =>
        outcomeOf(await call(w, p, 'POST', method('frappe.client.delete'), { doctype: d, name: n, ...bypassParams })),
    ],
  ] as const satisfies readonly [string, EntryPoint['run']][]
).map(([name, run]) => ({ name, letter: 'D', run }))

/** Methods of features that take a document's name. */
const byName: readonly EntryPoint[] = [
  {
    name: 'get_job_logs',
    letter: 'R',
    doctypes: ['Job'],
    run: async (w, p, _d, n) => outcomeOf(await call(w, p, 'GET', method('get_job_logs'), { job: n })),
  },
  {
    name: 'get_versions',
    letter: 'R',
    doctypes: ['Server'],
    run: async (w, p, _d, n) => outcomeOf(await call(w, p, 'GET', method('get_versions'), { server: n })),
  },
  {
    name: 'activity.export list',
    letter: 'R',
    doctypes: ['Activity'],
    run: async (w, p, _d, n) =>
      listed(
        await call(w, p, 'POST', method('easydash.api.activity.export'), { format: 'jsonl', filters: { name: n } }),
        n,
      ),
  },
  ...(['private file', 'download_file'] as const).map((name): EntryPoint => ({
    name,
    letter: 'R',
    doctypes: ['File'],
    async run(w, p, d, n) {
      const url = String((await w.stored(d, n))?.['file_url'])
      const response =
        name === 'private file'
          ? await call(w, p, 'GET', url)
          : await call(w, p, 'GET', method('download_file'), { file_url: url })
      // Only the content counts: an error contains none, and a response without it isn't the file.
      const isContent = response.text === fileContent
      return isContent === (response.status === 200)
        ? outcomeOf(response)
        : `unexpected ${response.status} ${response.text}`
    },
  })),
  {
    name: 'upload_file',
    letter: 'W',
    alsoScopeOf: 'File',
    doctypes: ['Site', 'Server', 'Organization', 'User'],
    async run(w, p, d, n) {
      const form = new FormData()
      form.set('file', new Blob(['suite']), 'suite.txt')
      form.set('doctype', d)
      form.set('docname', n)
      form.set('is_private', '1')
      for (const [name, value] of Object.entries(bypassParams)) form.set(name, JSON.stringify(value))
      return outcomeOf(await send(w, p, method('upload_file'), form))
    },
  },
]

/** Every entry point to a document. */
export const entryPoints: readonly EntryPoint[] = [
  ...storeEntryPoints,
  ...reading,
  ...byName,
  ...writing,
  permission('W', 'write'),
  explained('R', 'read'),
  explained('W', 'write'),
  ...deleting,
  permission('D', 'delete'),
  explained('D', 'delete'),
]

/** Entry points that create documents. */
export const creating: readonly CreatingEntryPoint[] = [
  { name: 'resource POST', run: (w, p, d, draft) => call(w, p, 'POST', resource(d), { ...draft, ...bypassParams }) },
  {
    name: 'client.insert',
    run: (w, p, d, draft) =>
      call(w, p, 'POST', method('frappe.client.insert'), { doc: { doctype: d, ...draft, ...bypassParams } }),
  },
  storeCreating,
  {
    name: 'client.insert_many',
    run: (w, p, d, draft) =>
      call(w, p, 'POST', method('frappe.client.insert_many'), {
        docs: JSON.stringify([{ doctype: d, ...draft, ...bypassParams }]),
      }),
  },
]

/** Entry points that run actions; values sent as the document's content have no effect. */
export const acting: readonly ActingEntryPoint[] = [
  {
    name: 'run_doc_method docs',
    run: (w, p, d, n, action, args) =>
      call(w, p, 'POST', method('run_doc_method'), {
        docs: JSON.stringify({
          doctype: d,
          name: n,
          owner: p.email,
          organization: 'globex',
          status: 'Live',
          ...bypassParams,
        }),
        method: action,
        args,
      }),
  },
  {
    name: 'run_doc_method dt',
    run: (w, p, d, n, action, args) =>
      call(w, p, 'POST', method('run_doc_method'), {
        dt: d,
        dn: n,
        method: action,
        args: JSON.stringify(args),
        ...bypassParams,
      }),
  },
  storeActing,
  {
    name: 'run_method',
    run: (w, p, d, n, action, args) =>
      call(w, p, 'POST', resource(d, n), { run_method: action, ...args, ...bypassParams }),
  },
]
